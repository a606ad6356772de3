import type { JournalEntry } from '../../../mock/types.ts'
import { useResource } from '../../resource.ts'

/** One request with its bodies, which stay with the mock until somebody opens it. */
export function useEntry(number: string): { entry?: JournalEntry; error?: string } {
  const after = /^\d{1,15}$/.test(number) ? Math.max(0, Number(number) - 1) : 0
  const { data, error } = useResource<{ entries: JournalEntry[] }>(`/journal?after=${after}`)
  const entry = data?.entries.find((one) => String(one.number) === number)
  if (entry !== undefined) return { entry }
  return data === undefined && error === undefined ? {} : { error: error ?? 'It was cleared, or others came after it.' }
}
