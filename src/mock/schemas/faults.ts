/** The faults of rules, of `Prefer` and of the journal, and what a client gets of the response. */
export const faults = {
  reset: 'nothing',
  silence: 'nothing',
  'empty-response': 'nothing',
  'truncated-body': 'a part',
  'broken-chunk': 'a part',
  'slow-body': 'everything',
} as const

export type FaultName = keyof typeof faults

export const faultNames = Object.keys(faults) as FaultName[]
/** Those that need no more than their name. */
export const plainFaults = faultNames.filter((name) => name !== 'slow-body')

export const isLost = (fault: FaultName | undefined): boolean =>
  fault !== undefined && faults[fault] === 'nothing'
