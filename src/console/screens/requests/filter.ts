import type { JournalSummary as Row } from '../../../mock/journal/entry.ts'

/** The fields of the filter and their names in the URL. */
export const filterNames = ['search', 'operation', 'status'] as const
export type Filter = Readonly<Partial<Record<(typeof filterNames)[number], string>>>

/**
 * Whether the table shows a request. `4xx` is a class of statuses, `other` any request outside the operations.
 *
 * @param inBody the requests whose bodies, or those of their responses, contain what is searched
 */
export function passes(
  row: Row,
  { search, operation, status }: Filter,
  inBody: ReadonlySet<number>,
): boolean {
  return (
    (!search ||
      `${row.request.method} ${row.request.target}`.toLowerCase().includes(search.toLowerCase()) ||
      row.message?.toLowerCase().includes(search.toLowerCase()) === true ||
      row.reason?.includes(search) === true ||
      inBody.has(row.number)) &&
    (!operation || (row.operation ?? 'other') === operation) &&
    (!status || String(row.response.status).startsWith(status.replaceAll('x', '')))
  )
}
