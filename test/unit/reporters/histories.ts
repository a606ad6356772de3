import {
  type History,
  type HistoryEntry,
  toHistory,
  toHistoryEntry,
} from '../../../src/contract/report/history.ts'
import type { Report } from '../../../src/contract/index.ts'
import { conforming, echoing, unreachable, violating } from './reports.ts'

export const now = new Date('2026-11-22T12:00:00Z')

/** The entry of a report started on a day of November 2026. */
export const entryOn = (day: number, report: Report, name = 'staging'): HistoryEntry =>
  toHistoryEntry(
    {
      ...report,
      startedAt: `2026-11-${String(day).padStart(2, '0')}T00:00:00.000Z`,
      latency: { median: 4, p95: 40 + day, max: 90 },
    },
    name,
  )

const known = {
  requirement: 'list.limit.respected',
  reason: 'Later',
  ticket: 'SHOP-12',
  expires: '2026-12-01',
} as const

export const histories = {
  mixed: [
    toHistory(
      [
        entryOn(1, conforming()),
        entryOn(2, violating()),
        entryOn(3, unreachable()),
        entryOn(4, {
          ...conforming(),
          profile: { ...conforming().profile, 'list.order': 'by-name' },
        }),
        entryOn(5, {
          ...violating(),
          kit: '1.3.0',
          baseline: { known: [known], expired: [], stale: [] },
        }),
      ],
      { now },
    ),
  ],
  green: [toHistory([entryOn(1, conforming())], { now })],
  two: [
    toHistory([entryOn(1, conforming())], { now }),
    toHistory([entryOn(1, violating(), 'production')], { now }),
  ],
} satisfies Record<string, readonly History[]>

export const echoingHistories = (text: string): History[] => [
  toHistory(
    [
      { ...entryOn(1, echoing('plain')), kit: text },
      {
        ...entryOn(2, echoing(text)),
        name: text,
        kit: 'other',
        known: [{ ...known, ticket: text }],
      },
    ],
    { now },
  ),
]
