import type { Check } from '../contract/session/session.ts'
import { didYouMean, UsageError } from '../errors.ts'
import type { Defect } from '../mock/index.ts'
import type { IssueKind, Reference } from '../mock/scorecard/issues.ts'
import { count, painter, rowToSentence, section, wrap } from '../report/text.ts'
import { type Behavior, behaviors } from '../spec/behaviors.ts'
import { type Requirement, requirements } from '../spec/requirements.ts'
import { type Command, type Console, theWord, wantsColor, widthOf } from './command.ts'
import { asStarted } from './invocation.ts'

const maxDefects = 3
const maxIds = 5

export const command: Command = {
  usage: ['petstore explain ID'],
  about: `Explains a requirement: its text in the specification, how it is checked, what usually breaks it and
how to fix it. For an unspecified behavior: its options, and how a client can work with all of them.
It also explains checks, deliberate defects, issues of scorecards and codes of errors. Instead of an id,
give a part that only one id has.`,
  flags: [],
  examples: [
    'petstore explain list.limit.default',
    'petstore explain list.order=newest-first',
    'petstore explain pet_not_found',
  ],
  exitCodes: {
    0: 'the id was explained',
    2: 'the command line is wrong, or nothing has this id',
  },
  async run(console, flags) {
    const id = theWord(
      flags,
      'one id',
      'petstore explain list.limit.default; petstore verify --list shows them',
    )
    // The header Petstore-Explain appends the option.
    const [name = ''] = id.split('=')
    const subjects = await readSubjects()
    // The `code` of an Error body.
    const code = behaviors.find((one) => one.id.startsWith('error.code') && one.default === name)
    const found = findId(code?.id ?? name, [...new Set(subjects.map((one) => one.id))])
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
  const [{ checks }, { defects }, { issueKinds, referenceOf }] = await Promise.all([
    import('../contract/suite/checks.ts'),
    import('../mock/defects/index.ts'),
    import('../mock/scorecard/issues.ts'),
  ])
  const subject = <One extends { id: string }>(
    one: One,
    explain: (one: One) => Block[],
  ): Subject => ({
    id: one.id,
    explain: () => explain(one),
  })
  return [
    ...(requirements as readonly Requirement[]).map((requirement) =>
      subject(requirement, () => explainRequirement(requirement, checks, defects)),
    ),
    ...(behaviors as readonly Behavior[]).map((behavior) => subject(behavior, explainBehavior)),
    ...checks.map((check) => subject(check, explainCheck)),
    ...defects.map((defect) => subject(defect, explainDefect)),
    ...issueKinds.map((issue) => subject(issue, () => explainIssue(issue, referenceOf(issue)))),
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

function explainCheck({ id, title, requirements: checked }: Check): Block[] {
  return [
    [id, ['A check of the suite.', title]],
    ['Requirements that it checks', checked.map((requirement) => `  ${requirement}`)],
    ['Try it', [`  petstore verify URL --only ${id}`]],
  ]
}

function explainDefect({ id, requirement, description }: Defect): Block[] {
  return [
    [id, ['A deliberate defect of the mock.', description]],
    ['Requirement that it breaks', [`  ${requirement}`]],
    ['Try it', [`  petstore mock --defect ${id}`, `  petstore explain ${requirement}`]],
  ]
}

function explainIssue({ id, title, recognized, fix }: IssueKind, reference: Reference): Block[] {
  return [
    [id, [`An issue of the scorecard: requests ${title}.`, ...(recognized ? [recognized] : [])]],
    [
      reference.table === 'requirements' ? 'Requirement' : 'Unspecified behavior',
      [`  ${reference.id}`, `"${reference.sentence ?? reference.quote}"`],
    ],
    ['How to fix it', [fix]],
  ]
}

function explainRequirement(
  requirement: Requirement,
  checks: readonly Check[],
  defects: readonly Defect[],
): Block[] {
  const { id, quote, restates = [], reading, untestable, breaks, fix } = requirement
  const checkedBy = checks.filter((check) => check.requirements.some((one) => one === id))
  const breaking = defects.filter((defect) => defect.requirement === id)
  const howChecked = checkedBy.map((check) => `${check.id}: ${check.title}`)
  if (untestable === undefined && checkedBy.length === 0)
    howChecked.push('The suite checks every response of every operation.')
  return [
    [
      id,
      [
        requirement.section,
        `"${rowToSentence(quote)}"`,
        ...restates.map((text) => `"${rowToSentence(text)}"`),
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
            ...breaking.slice(0, maxDefects).map((one) => `  petstore mock --defect ${one.id}`),
            ...(breaking.length > maxDefects
              ? [
                  `${count(breaking.length - maxDefects, 'more defect')}: petstore mock --list-defects`,
                ]
              : []),
          ]
        : [],
    ],
  ]
}

function explainBehavior(behavior: Behavior): Block[] {
  const { id, quote, question, options, free, default: chosen, why, safe } = behavior
  const other = options.find(({ value }) => value !== chosen)?.value ?? 'TEXT'
  return [
    [id, [behavior.section, `Unspecified in: "${rowToSentence(quote)}"`, question]],
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
      [`  petstore mock --behavior ${id}=${other}`, '  petstore compare staging production'],
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
