import type { Inspected, JournalEntry } from '../../../mock/journal-entry.ts'
import { useResource } from '../../resource.ts'

/** One request with its bodies, which stay with the mock until somebody opens it. */
export function useEntry(number: string): { entry?: JournalEntry & Inspected; error?: string } {
  const { data, error } = useResource<JournalEntry & Inspected>(`/journal/${encodeURIComponent(number)}`)
  return { ...(data !== undefined && { entry: data }), ...(error !== undefined && { error }) }
}
