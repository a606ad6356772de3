import type { JournalEntry } from '../../../../mock/journal/entry.ts'
import type { Inspected } from '../../../../mock/scorecard/scorecard.ts'
import { useResource } from '../../../state/resource.ts'

/** A request with its headers and bodies, loaded when it is opened. */
export function useEntry(number: string): { entry?: JournalEntry & Inspected; error?: string } {
  const { data, error } = useResource<JournalEntry & Inspected>(
    `/journal/${encodeURIComponent(number)}`,
  )
  return { ...(data !== undefined && { entry: data }), ...(error !== undefined && { error }) }
}
