import type {
  ConformingResponse,
  Difference,
  RequirementResult,
  RequirementVerdict,
  Finding,
  KnownFailure,
  Report,
} from './report.ts'
import { shellWord } from '../../report/shell.ts'
import { shortInert } from '../../report/text.ts'

/** Texts that several reporters share. Texts from a target are escaped and limited in length. */

/** The verdict on a requirement; `known` if the baseline excuses all of its findings. */
export type RequirementState = RequirementVerdict | 'known'

/** Maximum lengths of texts. */
const maxLengths = { headline: 220, sentence: 1_000, value: 2_000, beside: 160, curl: 4_000 }

/** What a finding says, in about two lines of a terminal. */
export const headline = ({ message }: Finding): string =>
  shortInert(message.replace(/\.$/, ''), maxLengths.headline)
/** A message, reason or note, which may quote the target. */
export const sentence = (text: string): string => shortInert(text, maxLengths.sentence)
/** An expected or actual value. */
export const value = (text: string): string => shortInert(text, maxLengths.value)
export const command = (text: string): string => shortInert(text, maxLengths.curl)

/** The variable that stands for the command of --key-command in printed commands: that may hold a secret. */
export const keyCommandVariable = 'PETSTORE_KEY_COMMAND'

/** Options as words of a command line: `--rate 5/s --read-only`. */
export const optionWords = (options: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(options)
    .flatMap(([name, values]) =>
      [
        ...(values.length === 0 ? [[]] : []),
        ...values.map((text) => [
          text === `$${keyCommandVariable}` ? `"${text}"` : shellWord(text),
        ]),
      ].map((words) => [shellWord(`--${name}`), ...words].join(' ')),
    )
    .join(' ')

/** Differences that one line names. */
const maxDifferences = 2

/** `200, name "Rex" (here "rex")`; where the status differs, with the body. */
export function besideWords({
  response: { status, body },
  differences,
}: ConformingResponse): string {
  const shown = differences.slice(0, maxDifferences).map(differenceWords)
  const left = differences.length - shown.length
  const isOther = differences.some(({ part }) => part === 'status')
  const parts = [
    ...(isOther ? [] : [String(status)]),
    ...shown,
    ...(left > 0 ? [`${left} more`] : []),
    ...(isOther ? [shortInert(body, maxLengths.beside)] : []),
  ]
  return sentence(parts.join(', '))
}

function differenceWords({ part, pointer = '', conforming, actual }: Difference): string {
  const [value, here] = [conforming, actual].map((text) => shortInert(text, maxLengths.beside))
  const [name] = /[a-z]\w*/i.exec(pointer.split(/\W/).at(-1) ?? '') ?? []
  const what = part === 'content-type' ? 'Content-Type ' : name === undefined ? '' : `${name} `
  const at =
    pointer === '' || pointer === `/${name}` ? '' : ` at ${shortInert(pointer, maxLengths.beside)}`
  return `${/^an? /.test(conforming) ? what.replace(/ $/, ': ') : what}${value} (here ${here}${at})`
}

export const requirementsOf = (
  { requirements }: Report,
  verdict: RequirementVerdict,
): RequirementResult[] => requirements.filter((requirement) => requirement.verdict === verdict)

/** The verdict on a requirement, with the baseline applied. */
export function stateOf(report: Report, { id, verdict }: RequirementResult): RequirementState {
  if (verdict !== 'violated') return verdict
  const found = report.findings.filter(
    (one) => one.requirement === id || (one.alsoBreaks as string[]).includes(id),
  )
  return found.length > 0 && found.every(({ known }) => known !== undefined) ? 'known' : 'violated'
}

/** Why a known failure does not fail the run. */
export function knownWords(failure: KnownFailure | undefined): string {
  if (failure === undefined) return ''
  const { reason, ticket, expires } = failure
  return sentence(`known until ${expires}: ${reason}${ticket === undefined ? '' : ` (${ticket})`}`)
}
