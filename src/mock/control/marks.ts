import type { IssueId } from '../scorecard/rules.ts'

/** One thing that is wrong with one request. */
export interface Mark {
  kind: IssueId
  /** What was wrong, in a sentence. It may quote the request. */
  message: string
}

/** Most requests have nothing wrong with them, and share the list that says so. */
export const nothing: readonly Mark[] = []

/** Several lists as one. */
export function joined(...parts: (readonly Mark[])[]): readonly Mark[] {
  let all = nothing
  for (const part of parts) {
    if (part.length > 0) all = all.length === 0 ? part : [...all, ...part]
  }
  return all
}
