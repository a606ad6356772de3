/** Common properties of all reporters of reports, comparisons, histories and scorecards. */
import { HtmlValidate } from 'html-validate'
import { describe, expect, test } from 'vitest'
import { UsageError } from '../../../src/errors.ts'
import {
  compareReports,
  comparisonReporters,
  type Comparison,
  reporters,
  toBaseline,
  toOverview,
  verdictLine,
  type Finding,
  type Report,
} from '../../../src/contract/index.ts'
import { scorecardReporters } from '../../../src/mock/scorecard/reporters.ts'
import type { Scorecard } from '../../../src/mock/scorecard/scorecard.gen.ts'
import { script } from '../../../src/report/style.gen.ts'
import { validators } from '../../../src/contract/report/validators.gen.ts'
import { validators as scorecardValidators } from '../../../src/mock/scorecard/validators.gen.ts'
import { issuesOf, type Validator } from '../../../src/validate.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import * as cards from '../scorecard/cards.ts'
import { historyHtml, historyText } from '../../../src/contract/reporters/history.ts'
import {
  type History,
  type HistoryEntry,
  isHistoryEntry,
  toHistory,
} from '../../../src/contract/report/history.ts'
import { comparisons, echoingComparison } from './comparisons.ts'
import { echoingHistories, entryOn, histories, now } from './histories.ts'
import { conforming, echoing, everyReport, hostile, violating } from './reports.ts'

const validator = new HtmlValidate({
  extends: ['html-validate:recommended', 'html-validate:a11y'],
  // Requirement ids have dots. Closed void elements and trailing spaces come from the formatter.
  rules: {
    'valid-id': ['error', { relaxed: true }],
    'void-style': 'off',
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
  },
})

test('the names of the reporters', () => {
  expect(Object.keys(reporters)).toEqual([
    'text',
    'json',
    'junit',
    'markdown',
    'github',
    'sarif',
    'html',
  ])
  expect(Object.keys(scorecardReporters)).toEqual(['text', 'json', 'markdown', 'html'])
})

/** Sample inputs, a long one, and one with a text in every field that a target or a client controls. */
interface Scenes<Input> {
  inputs: Readonly<Record<string, Input>>
  long: (text: string) => Input
  echoing: (text: string) => Input
}

const reports: Scenes<Report> = {
  inputs: everyReport,
  long: (text) => {
    // There are many findings, so each can be shorter.
    const [finding] = echoing(text.slice(0, 20_000)).findings
    const some = requirements.filter((_, place) => place % 4 === 0)
    const findings = some.map(({ id }): Partial<Finding> => ({ ...finding, requirement: id }))
    return { ...echoing(text), findings: violating(findings).findings }
  },
  echoing,
}
const scorecards: Scenes<readonly Scorecard[]> = {
  inputs: {
    clean: [cards.clean()],
    faulty: [cards.faulty()],
    silent: [cards.silent()],
    mixed: [cards.clean(), cards.silent(), cards.faulty()],
    empty: [],
    hostile: [cards.echoing(hostile)],
  },
  long: (text) => Array.from({ length: 10 }, () => cards.echoing(text)),
  echoing: (text) => [cards.echoing(text)],
}

describe.each(Object.entries(comparisonReporters))('%s of a comparison', (name, render) => {
  const scenes: Scenes<Comparison> = {
    inputs: { ...comparisons, hostile: echoingComparison(hostile) },
    long: echoingComparison,
    echoing: echoingComparison,
  }
  holdsForEach(name, render, scenes)
})
describe.each(Object.entries({ text: historyText, html: historyHtml }))(
  '%s of a history',
  (name, render) => {
    const scenes: Scenes<readonly History[]> = {
      inputs: { ...histories, hostile: echoingHistories(hostile) },
      long: echoingHistories,
      echoing: echoingHistories,
    }
    holdsForEach(name, render, scenes)
  },
)
describe.each(Object.entries(reporters))('%s of a report', (name, render) => {
  holdsForEach(name, render, reports)
})
describe.each(Object.entries(scorecardReporters))('%s of scorecards', (name, render) => {
  holdsForEach(name, render, scorecards)
})

type Path = readonly (string | number)[]

/** The paths of all texts of a value; those of names end with `#`. One of each kind, where places of lists are alike. */
function pathsIn(whole: object): Path[] {
  const kinds = new Map<string, Path>()
  const search = (value: unknown, path: Path): void => {
    if (typeof value === 'string') kinds.set(path.join().replaceAll(/\d+/g, 'n'), path)
    if (typeof value !== 'object' || value === null) return
    for (const [name, field] of Object.entries(value)) {
      search(field, [...path, name])
      if (!Array.isArray(value)) search('', [...path, name, '#'])
    }
  }
  search(whole, [])
  return [...kinds.values()]
}

/** A copy with another text at a path. */
function changedAt<Input>(whole: Input, path: Path, text: string): Input {
  const copy = structuredClone(whole)
  const isName = path.at(-1) === '#'
  const [name, ...outer] = path.slice(0, isName ? -1 : undefined).toReversed() as string[]
  let at = copy as Record<string, unknown>
  for (const step of outer.toReversed()) at = at[step] as typeof at
  const { [name as string]: before, ...others } = at
  if (!isName) at[name as string] = text
  else if (delete at[name as string]) Object.assign(at, { ...others, [text]: before })
  return copy
}

/** Words that a CI system takes as commands where they begin a line, which a width may make of any word. */
const commands = [
  '::error::x',
  '::stop-commands::x',
  '##[group]x',
  '##vso[task.setvariable variable=a]x',
  '\u00a0::warning::x',
  '::',
]
const hostileWords = commands.flatMap((command) => [command, 'z z', command, command]).join(' ')

/** The lines of an output that a CI system takes as commands. */
const beginnings = (output: string): string[] =>
  output.split(/[\n\r]/).filter((line) => /^\s*(?:::|##\[|##vso\[)/.test(line))

/** Control, invisible and direction characters; the icon of a heading consists of two characters. */
const unseenIn = (output: string): string[] | null =>
  output
    .replace(/^## ⚠\uFE0F/, '')
    .match(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Co}\p{DI}\u2800]/gu)

/** Whether a command reads such a value from a file, or from a mock. A newer kit may write more fields. */
const isRead = (validate: Validator, value: object): boolean =>
  issuesOf(validate, value).every(({ code }) => code === 'closed')

/** Puts hostile text at each place of a known value. Other reporters write commands themselves, or the same texts. */
function expectInert<Input extends object>(
  known: Input,
  isValid: (input: Input) => boolean,
  formats: Readonly<
    Record<string, (input: Input, options?: { verbose?: boolean; width?: number }) => string>
  >,
): void {
  const paths = pathsIn(known)
  expect(paths.length).toBeGreaterThan(20)
  expect(isValid(known)).toBe(true)
  const renders = Object.entries(formats).filter(([name]) => !/^(json|github|html)$/.test(name))
  for (const path of paths) {
    const changed = ['', '1.0.0', 'a.b'].map((before) => changedAt(known, path, before + hostile))
    for (const input of changed.filter(isValid)) {
      for (const [name, render] of renders) {
        const output = render(input, { verbose: true })
        const place = `${name}: ${path.join('/')}`
        expect([unseenIn(output), beginnings(output)], place).toEqual([null, []])
      }
    }
  }
}

test('a report that can be read is inert, whatever its texts and names are', () => {
  expectInert(echoing('plain'), (report) => isRead(validators.Report, report), reporters)
})

test('so are scorecards', () => {
  const isValid = (all: Scorecard[]): boolean =>
    isRead(scorecardValidators.Scorecards, { scorecards: all })
  expectInert([cards.faulty(), cards.clean()], isValid, scorecardReporters)
})

test('so are histories', () => {
  const days = [conforming(), echoing('plain'), conforming()]
  const known = days.map((report, index) => entryOn(1 + index, report))
  const isValid = (entries: HistoryEntry[]): boolean => entries.every(isHistoryEntry)
  expectInert(known, isValid, { text: (entries) => historyText([toHistory(entries, { now })]) })
})

function holdsForEach<Input extends object>(
  name: string,
  render: (input: Input, options?: { width: number }) => string,
  { inputs, long, echoing: echo }: Scenes<Input>,
): void {
  test.each(Object.entries(inputs))(
    '%s is rendered deterministically, and not modified',
    (_, input) => {
      const before = structuredClone(input)
      expect(render(input)).toBe(render(before))
      expect(input).toEqual(before)
      expect(render(input)).toMatch(/[^\n]\n$/)
    },
  )

  test('control, invisible and direction characters are escaped', () => {
    const text = render(echo(hostile))
    expect(unseenIn(text)).toBeNull()
    expect(text).toContain('\\u001b')
  })

  // HTML keeps the lines of a body: the beginning of a line has no special meaning there.
  test.each([name].filter((one) => one !== 'html'))('untrusted text begins no line of %s', () => {
    const injected =
      /^\s*(::(error|warning) title=x|##\[|# heading|---$|\* item|ok|not ok) ?(injected|$)/m
    expect(render(echo(hostile)).replace(/^ {2}---$/gm, '')).not.toMatch(injected)
  })

  test.each([20, 40, 60, 80, 81, 82, 83, 90, 100, 120, 200, Infinity])(
    'no word of an input is a command to a CI system at the width %i',
    (width) => {
      // The reporter `github` writes commands, and a style sheet has pseudo-elements.
      const own = beginnings(render(echo('plain'), { width }))
      const found = beginnings(render(echo(hostileWords), { width }))
      expect(found.length, found.join('\n')).toBe(own.length)
      expect(own.length === 0 || name === 'github' || name === 'html').toBe(true)
    },
  )

  test('different inputs give different output', () => {
    const texts = Object.values(inputs).map((input) => render(input))
    expect(new Set(texts).size).toBe(texts.length)
  })

  // JSON is complete; the size is limited when a report or a scorecard is created.
  test.each([name].filter((one) => one !== 'json'))('the size of %s is limited', () => {
    const most: Record<string, number> = { markdown: 65_536, github: 200_000, html: 1_500_000 }
    expect(Buffer.byteLength(render(long('x'.repeat(200_000))))).toBeLessThan(most[name] ?? 400_000)
  })

  describe.each(['markdown'].filter((format) => format === name))('in %s', () => {
    // Markdown without its code, which is not interpreted.
    const withoutCode = (text: string): string =>
      text
        .replace(/^(`{3,})\w*\n[^]*?\n\1$/gm, '')
        .replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')
    const tricky = [
      '- x',
      '1. x',
      '===',
      '> x',
      ' x',
      '_x_',
      'a_b',
      '`',
      'x`',
      '`x``y`',
      'a `<b>` c',
      '',
      ' ',
    ]
    const parts = [hostile, ...hostile.split(' '), ...tricky]
    test.each(parts.map((part) => [JSON.stringify(part).slice(0, 60), part]))(
      '%s is not interpreted',
      (_, part) => {
        const left = withoutCode(render(echo(part)))
        expect(left.replace(/<\/?(details|summary)>|^> /gm, '')).not.toMatch(/[<>@[\]!~$]/)
        expect(left).not.toMatch(/https?:|www\.|\bGH-\d|:tada:|`/i)
        const headings = (text: string): unknown => text.match(/^#+ /gm)
        expect(headings(left)).toEqual(headings(withoutCode(render(echo('plain')))))
      },
    )
  })

  describe.each(['html'].filter((format) => format === name))('in %s', () => {
    const all = (text: string, pattern: RegExp): string[] =>
      Array.from(text.matchAll(pattern), ([, found = '']) => found)
    describe.each(Object.entries(inputs))('%s', (_, input) => {
      const page = render(input)

      test('is valid and accessible according to the validator', async () => {
        const { results } = await validator.validateString(page)
        const found = results.flatMap(({ messages }) => messages)
        expect(found.map(({ ruleId, message, line }) => `${ruleId} ${line} ${message}`)).toEqual([])
      })

      test('is self-contained, and has no script but that of the kit', () => {
        expect(page.replace(`<script>${script}</script>`, '')).not.toMatch(
          /<(script|link|img|iframe|object|embed|form|base|style )/i,
        )
        expect(page).not.toMatch(/<[^>]*\s(on\w+|style|src)=/i)
        expect(all(page, /\shref="([^"]*)"/g).filter((link) => !link.startsWith('#'))).toEqual([])
      })

      test('has no dead link, and no skipped level of headings', () => {
        const ids = all(page, /\sid="([^"]*)"/g)
        expect(new Set(ids).size).toBe(ids.length)
        for (const link of all(page, /\shref="#([^"]*)"/g)) expect(ids).toContain(link)
        const levels = all(page, /<h(\d)/g).map(Number)
        expect(levels.filter((level) => level === 1)).toHaveLength(1)
        for (const [index, level] of levels.entries())
          expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1)
      })
    })
  })
}

test.each([undefined, null, 'report.json', [], { failures: [] }])(
  'rejects %j as a report',
  (value) => {
    const report = value as never
    const terms = { reason: 'known' }
    const calls = [
      () => toOverview(report),
      () => verdictLine(report),
      () => toBaseline(report, terms),
      () => compareReports(conforming(), report),
    ]
    for (const call of [
      ...calls,
      ...Object.values(reporters).map((render) => () => render(report)),
    ]) {
      expect(call).toThrow(UsageError)
      expect(call).toThrow('A report, as verify returns it, is required, not ')
    }
  },
)
