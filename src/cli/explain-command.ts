import { quoteOf } from '../contract/report/words.ts'
import type { Check } from '../contract/session/session.ts'
import { didYouMean, fail, UsageError } from '../errors.ts'
import type { Deviation } from '../mock/defects/deviation.ts'
import type { IssueRule, Reference } from '../mock/scorecard/rules.ts'
import { count, painter, section, wrap } from '../report/text.ts'
import { type Choice, choices } from '../spec/choices.ts'
import { type Clause, clauses } from '../spec/clauses.ts'
import { type Command, type Console, onlyWord, wantsColor, widthOf } from './command.ts'
import { asStarted } from './invocation.ts'

const maxDefects = 3
const maxIds = 5

export const command: Command = {
  usage: ['petstore explain ID'],
  about: `Explains a requirement: its text in the specification, how it is checked, what usually breaks it and
how to fix it. For an unspecified behavior: its options, and how a client can work with all of them.
It also explains checks, deliberate defects and issues of scorecards. Instead of an id, give a part that
only one id has. Reports show the ids, and so do petstore verify --list and petstore profile list.`,
  flags: [],
  examples: [
    'petstore explain list.limit.default',
    'petstore explain create.visibility',
    'petstore explain list.order=newest-first',
  ],
  async run(console, flags) {
    const missing =
      'petstore explain needs an id: petstore explain list.limit.default; petstore verify --list shows them'
    const id = onlyWord(flags, 'petstore explain takes one id') ?? fail(missing)
    // The header Petstore-Explain appends the option.
    const [name = ''] = id.split('=')
    const subjects = await readSubjects()
    const found = findId(name, [...new Set(subjects.map((one) => one.id))])
    const blocks = subjects.filter((one) => one.id === found).map(({ explain }) => explain())
    await console.print(asStarted(layOut(blocks.flat(), console), console.env))
    return 0
  },
}

/** Lines that begin with spaces are not wrapped. */
type Block = readonly [heading: string, lines: readonly string[]]

interface Subject {
  id: string
  explain(): Block[]
}

/** Everything whose id is printed somewhere. */
async function readSubjects(): Promise<Subject[]> {
  const [{ checks }, { deviations }, { issueRules, referenceOf }] = await Promise.all([
    import('../contract/suite/checks.ts'),
    import('../mock/defects/index.ts'),
    import('../mock/scorecard/rules.ts'),
  ])
  const subject = <One extends { id: string }>(
    one: One,
    explain: (one: One) => Block[],
  ): Subject => ({
    id: one.id,
    explain: () => explain(one),
  })
  return [
    ...(clauses as readonly Clause[]).map((clause) =>
      subject(clause, () => explainClause(clause, checks, deviations)),
    ),
    ...(choices as readonly Choice[]).map((choice) => subject(choice, explainChoice)),
    ...checks.map((check) => subject(check, explainCheck)),
    ...deviations.map((defect) => subject(defect, explainDefect)),
    ...issueRules.map((issue) => subject(issue, () => explainIssue(issue, referenceOf(issue)))),
  ]
}

/** An id in any letter case, or its only part. */
function findId(name: string, ids: readonly string[]): string {
  const word = name.toLowerCase()
  const parts = ids.filter((id) => word !== '' && id.includes(word))
  const [only = ''] = parts
  if (parts.length === 1 || ids.includes(word)) return ids.includes(word) ? word : only
  const shown = JSON.stringify(name)
  if (parts.length > 1) {
    const more = parts.length > maxIds ? `, and ${parts.length - maxIds} more` : ''
    throw new UsageError(
      `${shown} is a part of ${parts.length} ids: ${parts.slice(0, maxIds).join(', ')}${more}`,
    )
  }
  const hint =
    didYouMean(word, ids) || '; petstore verify --list and petstore profile list show ids'
  throw new UsageError(
    `there is no requirement, unspecified behavior, check, defect or issue ${shown}${hint}`,
  )
}

function explainCheck({ id, title, clauses: checked }: Check): Block[] {
  return [
    [id, ['A check of the suite.', title]],
    ['Requirements that it checks', checked.map((clause) => `  ${clause}`)],
    ['Try it', [`  petstore verify URL --only ${id}`]],
  ]
}

function explainDefect({ id, clause, description }: Deviation): Block[] {
  return [
    [id, ['A deliberate defect of the mock.', description]],
    ['Requirement that it breaks', [`  ${clause}`]],
    ['Try it', [`  petstore mock --deviate ${id}`, `  petstore explain ${clause}`]],
  ]
}

function explainIssue({ id, title, recognized, fix }: IssueRule, reference: Reference): Block[] {
  return [
    [id, [`An issue of the scorecard: requests ${title}.`, ...(recognized ? [recognized] : [])]],
    [
      reference.table === 'clauses' ? 'Requirement' : 'Unspecified behavior',
      [`  ${reference.id}`, `"${reference.sentence ?? reference.quote}"`],
    ],
    ['How to fix it', [fix]],
  ]
}

function explainClause(
  clause: Clause,
  checks: readonly Check[],
  deviations: readonly Deviation[],
): Block[] {
  const { id, quote, restates = [], reading, untestable, breaks, fix } = clause
  const checkedBy = checks.filter((check) => check.clauses.some((one) => one === id))
  const defects = deviations.filter((deviation) => deviation.clause === id)
  const howChecked = checkedBy.map((check) => `${check.id}: ${check.title}`)
  if (untestable === undefined && checkedBy.length === 0)
    howChecked.push('The suite checks every response of every operation.')
  return [
    [
      id,
      [
        clause.section,
        `"${quoteOf(quote)}"`,
        ...restates.map((text) => `"${quoteOf(text)}"`),
        reading,
      ],
    ],
    [
      'How it is checked',
      untestable === undefined ? howChecked : [`Not testable from outside. ${untestable}`],
    ],
    ['What usually breaks it', breaks === undefined ? [] : [breaks]],
    ['How to fix it', fix === undefined ? [] : [fix]],
    [
      'Try it',
      untestable === undefined
        ? [
            `  petstore verify URL --only ${id}`,
            ...defects.slice(0, maxDefects).map((one) => `  petstore mock --deviate ${one.id}`),
            ...(defects.length > maxDefects
              ? [
                  `${count(defects.length - maxDefects, 'more defect')}: petstore mock --list-deviations`,
                ]
              : []),
          ]
        : [],
    ],
  ]
}

function explainChoice(choice: Choice): Block[] {
  const { id, quote, question, options, free, default: chosen, why, safe } = choice
  const other = options.find(({ value }) => value !== chosen)?.value ?? 'TEXT'
  return [
    [id, [choice.section, `Unspecified in: "${quoteOf(quote)}"`, question]],
    [
      'Options (all are allowed)',
      [
        ...options.map(({ value, meaning }) => `${value}: ${meaning}`),
        ...(free === undefined ? [] : [`any other text: it is ${free}`]),
      ],
    ],
    ['Default of the mock', [`${chosen}. ${why}`]],
    ['A client is safe with every option if it', [`${safe}.`]],
    [
      'Try it',
      [`  petstore mock --choose ${id}=${other}`, '  petstore compare staging production'],
    ],
  ]
}

function layOut(blocks: readonly Block[], console: Console): string {
  const paint = painter(wantsColor(console, console.terminal.stdout))
  const width = Math.min(100, widthOf(console))
  const lines = blocks.flatMap(([heading, texts]) =>
    section(
      paint('bold', heading),
      texts.flatMap((text) => (text.startsWith('  ') ? [text] : wrap(text, width, '  '))),
    ),
  )
  return `${lines.slice(1).join('\n')}\n`
}
