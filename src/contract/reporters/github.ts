import type { Report, ReporterOptions } from '../report/report.ts'
import { inertLines } from '../../report/text.ts'
import { groupLines } from './groups.ts'
import { digestOf } from './digest.ts'
import { knownWords, sentence } from '../report/words.ts'

interface Annotation {
  title: string
  message: string
}

/** GitHub shows this many annotations of a kind per step, and drops others silently. */
const maxAnnotations = 10

/**
 * Workflow commands of GitHub Actions: errors for violated requirements, warnings for requirements that were not
 * verified and known failures, notices for the verdict and notes. All point to the line that names the deployment.
 */
export function toGithub(report: Report, { place }: ReporterOptions = {}): string {
  const { verdict, checked, counts, effort, unproven, drift, open, notes, fresh, known } =
    digestOf(report)
  const errors: Annotation[] = [
    ...(report.verdict === 'not-verified' ? [{ title: 'inconclusive', message: unproven }] : []),
    ...fresh.map((one) => ({
      title: one.requirement,
      message: [...groupLines(one).slice(1), `"${one.quote}"`].join('\n'),
    })),
    ...drift.map(({ ids, text }) => ({ title: `drift: ${ids.join()}`, message: text })),
  ]
  const warnings: Annotation[] = [
    ...known.map(({ requirement, cases: [{ message, known: failure }] }) => ({
      title: `${requirement} (known failure)`,
      message: `${sentence(message)}\n${knownWords(failure)}`,
    })),
    ...open.map(({ text, ids: [first = '', ...others] }) => ({
      title: `${first}${others.length > 0 ? ` and ${others.length} more` : ''} not verified`,
      message: [text, ...(others.length > 0 ? [[first, ...others].join(', ')] : [])].join('\n'),
    })),
  ]
  const notices: Annotation[] = [
    {
      title: `petstore verify: ${verdict}`,
      message: `${sentence(report.target)}\n${checked}\n${counts}\n${effort}`,
    },
    ...notes.map(({ text }) => ({ title: 'note', message: text })),
  ]
  const where = place ? `file=${escapeProperty(place.file)},line=${place.line},` : ''
  return [
    ...toCommands('error', errors, where),
    ...toCommands('warning', warnings, where),
    ...toCommands('notice', notices, where),
  ].join('')
}

/** The last annotation lists the titles of those that do not fit. */
function toCommands(name: string, annotations: readonly Annotation[], where: string): string[] {
  const shown =
    annotations.length > maxAnnotations ? annotations.slice(0, maxAnnotations - 1) : annotations
  const others = annotations.slice(shown.length).map(({ title }) => title)
  const rest = { title: `${others.length} more`, message: [...new Set(others)].join(', ') }
  return [...shown, ...(others.length > 0 ? [rest] : [])].map(
    ({ title, message }) =>
      `::${name} ${where}title=${escapeProperty(title)}::${escapeData(message)}\n`,
  )
}

/** GitHub decodes the escapes. Carriage returns are already escaped. */
const escapeData = (text: string): string =>
  inertLines(text).replaceAll('%', '%25').replaceAll('\n', '%0A')

const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
