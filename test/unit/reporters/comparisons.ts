import {
  compareReports,
  type Comparison,
  type Finding,
  type Report,
} from '../../../src/contract/index.ts'
import { conforming, echoing, unreachable, violating } from './reports.ts'

/** Adds an observed option with its exchange to a report. */
function showing(report: Report, option: string, body = '[]'): Report {
  const exchange: Finding['exchanges'][0] = {
    request: {
      method: 'GET',
      url: `${report.target}/pets?limit=101`,
      headers: { accept: 'application/json' },
    },
    response: { status: 200, headers: { 'content-type': 'application/json' }, body },
    curl: `curl -sS -i '${report.target}/pets?limit=101'`,
  }
  return {
    ...report,
    profile: { ...report.profile, 'list.limit.above-maximum': option },
    observations: { 'list.limit.above-maximum': exchange },
  }
}

export const comparisons = {
  same: compareReports(conforming(), conforming()),
  differing: compareReports(
    showing(conforming(), '400'),
    showing({ ...violating([{ alsoBreaks: ['list.page-full'] }]), kit: '1.3.0' }, 'clamp'),
    { names: ['staging', 'production'] },
  ),
  oneSided: compareReports(conforming(), showing(conforming(), 'clamp'), {
    names: ['staging', 'production'],
  }),
  unreachable: compareReports(conforming(), unreachable(), {
    names: ['a.json', 'http://127.0.0.1:1/v1'],
  }),
} satisfies Record<string, Comparison>

/** A comparison with the text in every field that a target or the author of a report controls. */
export const echoingComparison = (text: string): Comparison =>
  compareReports(
    showing(conforming(), '400', text),
    { ...showing({ ...echoing(text), target: text }, text, text), reason: text },
    { names: [text, text] },
  )
