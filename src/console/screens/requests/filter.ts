import type { JournalSummary as Row } from '../../../mock/journal/entry.ts'

/** The fields of the filter and their names in the URL. */
export const filterNames = ['search', 'operation', 'status', 'method'] as const
export type Filter = Readonly<Partial<Record<(typeof filterNames)[number], string>>>

/** Whether the table shows a request. `4xx` is a class of statuses, `other` any request outside the operations. */
export function passes(row: Row, { search, operation, status, method }: Filter): boolean {
  return (
    (!search ||
      row.request.target.toLowerCase().includes(search.toLowerCase()) ||
      row.message?.toLowerCase().includes(search.toLowerCase()) === true ||
      row.reason?.includes(search) === true) &&
    (!operation || (row.operation ?? 'other') === operation) &&
    (!status || String(row.response.status).startsWith(status.replaceAll('x', ''))) &&
    (!method || row.request.method === method)
  )
}
