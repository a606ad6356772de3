/**
 * One word, one meaning. A budget is the number of uses of an old word in src and the pages, and may only shrink.
 * `PRINT_WORDS=tell npx vitest run test/unit/package/words.test.ts` prints the places.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** The keys are the replacements. Words are matched in lower case, parts of camelCase names one by one. */
const words: Readonly<Record<string, readonly [old: RegExp, budget: number]>> = {
  request: [/\b(?:ask(s|ed|ing)?)\b/g, 3],
  'response, respond, return': [/\b(?:answer(s|ed|ing)?)\b/g, 15],
  conforming: [/\b(?:lawful(ly)?)\b/g, 0],
  violation: [/\b(?:breach(es|ed)?)\b/g, 0],
  'report, find': [/\b(?:accus(e|es|ed|ing|ation|ations))\b/g, 0],
  'conforming variant': [/\b(?:twins?)\b/g, 2],
  apply: [/\b(?:bends?)\b/g, 0],
  sandbox: [/\b(?:worlds?)\b/g, 0],
  'sandbox, capacity': [/\b(?:rooms?)\b/g, 0],
  adapter: [/\b(?:faces?)\b/g, 3],
  'rule, scorecard': [/\b(?:judgements?)\b/g, 0],
  issue: [/\b(?:marks?)\b/g, 5],
  fix: [/\b(?:mend(s|ed|ing)?)\b/g, 0],
  'concurrent writer': [/\b(?:neighbours?)\b/g, 0],
  'field, property': [/\b(?:members?)\b/g, 1],
  accepted: [/\b(?:lets? in|letin)\b/g, 0],
  rejected: [/\b(?:turn(s|ed) away)\b/g, 0],
  'reject, rejection': [
    /(?<!connection )\b(?:refus(e|es|ed|ing|al|als))\b(?! (?:to|(?:the |new )?connections?)\b)/g,
    0,
  ],
  requirement: [/(?<!where )\bclauses?\b/g, 0],
  'behavior, option': [/\bchoices?\b/g, 0],
  'deliberate defect': [/\b(?:deviat(e|es|ed|ing|ion|ions))\b/g, 0],
  'US spelling': [/\b(?:behaviours?|colou?red?|colours?|honou?red)\b/g, 0],
  'notify, format': [/\b(?:tell(s|ing)?|told)\b/g, 1],
  unspecified: [/\b(?:left open|leaves? open)\b/g, 0],
  're-check': [/\b(?:looks? again|looked again)\b/g, 0],
  'consistency window': [/(?<!--|')\bsettle(s|d)?\b(?! ms)/g, 6],
  redacted: [/\b(?:stands? in no)\b/g, 0],
  'plain words': [/\b(?:whoever|whatever it is|nobody|is none)\b/g, 5],
  'defaults to': [/\b(?:put up with|puts it up)\b/g, 0],
  'reason, source': [/\bbecause(?=[?:]|,| \})/g, 0],
}

/** Files that quote the specification or old words, or are generated. */
const exempt =
  /specification\.md|decisions\.md|proof\.md|requirements\.ts|requirements\.md|\.gen\.ts|javascript\.md|CHANGELOG/
/** Ids of tables, which stay, and quoted file names, which are counted by their path. */
const ids = /['"`][\w/-]*(?:\.[\w/-]+)+(?=['"`=])|https?:\S+/g
/** Names of the language, HTTP and libraries. */
const usual =
  /question mark|quotation mark|byte order mark|byte order mark|PromiseSettledResult|tellTail|Promise\.allSettled|settleAll|\.settled\(|@mswjs?\/interceptors|<mark>/g

function* linesOf(folder: string): Generator<readonly [place: string, line: string]> {
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    const path = relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/')
    if (!entry.isFile() || !/\.(ts|md|json)$/.test(path) || exempt.test(path)) continue
    yield [path, path]
    const text = readFileSync(join(root, path), 'utf8').replaceAll(usual, ' ').replaceAll(ids, ' ')
    for (const [index, line] of text.split('\n').entries())
      yield [`${path}:${index + 1}`, toWords(line)]
  }
}

/** Splits names such as `conformingVariants` into words. */
const toWords = (line: string): string =>
  line.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_/g, ' ').toLowerCase()

const pages = ['README.md', 'CONTRIBUTING.md'].flatMap((path) =>
  readFileSync(join(root, path), 'utf8')
    .replaceAll(ids, ' ')
    .split('\n')
    .map((line, index) => [`${path}:${index + 1}`, toWords(line)] as const),
)
const lines = [...linesOf('src'), ...linesOf('docs'), ...pages]

test.each(Object.entries(words))('%s', (better, [old, budget]) => {
  const hits = lines.flatMap(([place, line]) =>
    [...line.matchAll(old)].map(() => `${place}: ${line.trim()}`),
  )
  if (process.env['PRINT_WORDS'] !== undefined && old.source.includes(process.env['PRINT_WORDS']))
    process.stdout.write(`${hits.join('\n')}\n`)
  expect(hits.length, `say ${better}; PRINT_WORDS=WORD prints the places`).toBeLessThanOrEqual(
    budget,
  )
})
