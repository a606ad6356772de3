import { quoteOf } from '../contract/reporters/words.ts'
import { didYouMean, fail, UsageError } from '../errors.ts'
import { count, painter, section, wrap } from '../report/text.ts'
import { type Choice, choices } from '../spec/choices.ts'
import { type Clause, clauses } from '../spec/clauses.ts'
import { type Command, type Console, onlyWord, wantsColor } from './command.ts'
import { asStarted } from './invocation.ts'

const maxDefects = 3

export const command: Command = {
  usage: ['petstore explain ID'],
  about: `Explains a requirement: its text in the specification, how it is checked, what usually breaks it and
how to fix it. For an unspecified behavior: its options, and how a client can work with all of them.
Reports show the ids, and so do petstore verify --list and petstore profile list.`,
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
    const clause = (clauses as readonly Clause[]).find((one) => one.id === name)
    const choice = (choices as readonly Choice[]).find((one) => one.id === name)
    if (clause === undefined && choice === undefined) {
      const ids = [...clauses, ...choices].map((one) => one.id)
      const hint =
        didYouMean(name, ids) || '; petstore verify --list and petstore profile list show them'
      throw new UsageError(
        `there is no requirement or unspecified behavior ${JSON.stringify(name)}${hint}`,
      )
    }
    const blocks = clause ? await explainClause(clause) : explainChoice(choice as Choice)
    await console.print(asStarted(layOut(blocks, console), console.env))
    return 0
  },
}

/** Lines that begin with spaces are not wrapped. */
type Block = readonly [heading: string, lines: readonly string[]]

async function explainClause(clause: Clause): Promise<Block[]> {
  const { id, quote, restates = [], reading, untestable, breaks, fix } = clause
  const [{ checks }, { deviations }] = await Promise.all([
    import('../contract/checks/index.ts'),
    import('../mock/deviations.ts'),
  ])
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
  const width = Math.min(100, Math.max(50, console.columns?.() ?? 80))
  const lines = blocks.flatMap(([heading, texts]) =>
    section(
      paint('bold', heading),
      texts.flatMap((text) => (text.startsWith('  ') ? [text] : wrap(text, width, '  '))),
    ),
  )
  return `${lines.slice(1).join('\n')}\n`
}
