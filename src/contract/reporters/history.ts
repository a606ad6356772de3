import {
  badge,
  folded,
  html,
  type Html,
  table,
  terms,
  titled,
  toPage,
  verdictBox,
} from '../../report/html.ts'
import { count, painter, wrap } from '../../report/text.ts'
import type { Changed, History } from '../report/history.ts'
import { checkedOf, type ReporterOptions } from '../report/report.ts'
import { sentence, value } from '../report/words.ts'

type Run = History['runs'][0]

/** The result of a run: `known` passes for its baseline alone; `drift` conforms, and yet fails. */
type State = 'pass' | 'known' | 'drift' | 'fail' | 'none'

function stateOf({ verdict, exitCode, counts: { known = 0 } }: Run): State {
  if (verdict === 'conforms') return exitCode === 1 ? 'drift' : known > 0 ? 'known' : 'pass'
  return verdict === 'violates' ? 'fail' : 'none'
}

/** How a state looks: its word, tone, bar and color. */
const looks = {
  pass: { word: 'PASS', tone: 'good', bar: '▇', paint: 'green' },
  known: { word: 'PASS', tone: 'warn', bar: '▆', paint: 'yellow' },
  drift: { word: 'DRIFT', tone: 'warn', bar: '▅', paint: 'yellow' },
  fail: { word: 'FAIL', tone: 'bad', bar: '▂', paint: 'red' },
  none: { word: 'INCONCLUSIVE', tone: 'off', bar: '·', paint: 'dim' },
} as const satisfies Record<State, object>
const lookOf = (run: Run) => looks[stateOf(run)]
const lastOf = ({ runs }: History): Run => runs.at(-1) as Run

const day = (at: string): string => at.slice(0, 10)
const minute = (at: string): string => at.slice(0, 16).replace('T', ' ')

/** `PASS 49/49`, `FAIL 3 violated`; a smoke run or a selection checks no requirement in full: `PASS (partial)`. */
function stateWords(run: Run): string {
  const { checked, of } = checkedOf(run.counts)
  const state = stateOf(run)
  const { word } = looks[state]
  if (state === 'none') return word
  if (state === 'fail') return `${word} ${run.counts.violated} violated`
  const known = run.counts.known ? `, ${count(run.counts.known, 'known failure')}` : ''
  return `${word} ${checked === 0 ? '(partial)' : `${checked}/${of}`}${known}`
}

const changeWords = ({ id, at, before, after }: History['changed'][0]): string =>
  `${id}  ${value(before)} → ${value(after)}  ${day(at)} (unspecified: clients may notice)`

const sinceWords = ({ id, at }: Changed): string => `${id}  since ${day(at)}`

/** Lines in groups: what changed, ends or is slow. */
function groupsOf(history: History): [string, string[]][] {
  const { changed, inconclusive, kits } = history
  const { p95, before } = history.latency ?? {}
  const all: [string, string[]][] = [
    ['regressed', history.regressed.map(sinceWords)],
    ['fixed', history.fixed.map(sinceWords)],
    [
      'flaky',
      history.flaky.map(({ id, violated, of }) => `${id}  violated in ${violated} of ${of} runs`),
    ],
    ['changed', changed.map(changeWords)],
    [
      'expires',
      history.expiring.map(({ id, on, days, ticket }) => {
        const when = days < 0 ? `${count(-days, 'day')} ago` : `in ${count(days, 'day')}`
        return sentence(`${id}  ${on}, ${when}${ticket === undefined ? '' : ` (${ticket})`}`)
      }),
    ],
    [
      'latency',
      p95 === undefined
        ? []
        : [`p95 ${p95} ms${before === undefined ? '' : `, before ${before} ms`}`],
    ],
    ['inconclusive', inconclusive === 0 ? [] : [`${count(inconclusive, 'run')} without a verdict`]],
    [
      'kit',
      kits.length < 2
        ? []
        : [`versions ${kits.map(value).join(', ')}, which may check different things`],
    ],
  ]
  return all.filter(([, lines]) => lines.length > 0)
}

export function historyText(
  histories: readonly History[],
  { color = false, width = 80 }: ReporterOptions = {},
): string {
  const paint = painter(color)
  const lines = histories.flatMap((history, index) => {
    const { name, target, runs } = history
    const last = lastOf(history)
    const line = runs.map((run) => paint(lookOf(run).paint, lookOf(run).bar)).join('')
    const heading = `${paint('bold', sentence(name))}  ${sentence(target)}`
    return [
      ...(index > 0 ? [''] : []),
      heading,
      `  last ${count(runs.length, 'run')}  ${line}  ${paint(lookOf(last).paint, stateWords(last))}  ${minute(last.at)}`,
      ...groupsOf(history).flatMap(([group, texts]) =>
        texts.flatMap((text) => wrap(text, width, `  ${group.padEnd(12)}  `, ' '.repeat(16))),
      ),
    ]
  })
  return `${lines.join('\n')}\n`
}

/** One HTML file without external resources or scripts. */
export function historyHtml(histories: readonly History[]): string {
  const kit = histories.at(-1)?.kits.at(-1) ?? ''
  return toPage({
    title: `${histories.map((history) => `${value(history.name)}: ${stateWords(lastOf(history))}`).join(', ')}, contract history`,
    skip: 'Skip to the first deployment',
    kind: 'Contract history',
    heading: 'Pet Store Service',
    main: histories.map((history, index) => [
      value(history.name),
      historySection(history, `deployment-${index + 1}`),
    ]),
    footer: `Created by petstore-kit ${value(kit)}. A run without a verdict is a gap.`,
  })
}

function historySection(history: History, id: string): Html {
  const { name, target, runs } = history
  const last = lastOf(history)
  const rows = runs
    .toReversed()
    .map((run) => [
      minute(run.at),
      badge(lookOf(run).tone, lookOf(run).word),
      run.violated,
      run.latency === undefined ? '–' : `${run.latency.p95} ms`,
    ])
  return titled(
    id,
    value(name),
    verdictBox(
      lookOf(last).tone,
      stateWords(last),
      html`<code>${value(target)}</code>, ${minute(last.at)} UTC`,
    ),
    chart(history),
    terms(
      'facing',
      groupsOf(history).map(([group, texts]) => [group, texts.map((text) => html`<p>${text}</p>`)]),
    ),
    folded(
      count(runs.length, 'run'),
      table('runs', ['Time (UTC)', 'Verdict', 'Violated', 'p95'], rows),
    ),
  )
}

/** Bars above the line show passes and how much they checked, bars below it failures; latency is a line of its own. */
function chart(history: History): Html {
  const { runs } = history
  const slowest = Math.max(1, ...runs.map(({ latency }) => latency?.p95 ?? 0))
  const bars = runs.map((run, index) => {
    const state = stateOf(run)
    const { checked, of } = checkedOf(run.counts)
    const passed = Math.max(6, Math.round((60 * checked) / Math.max(1, of)))
    const height = { none: 2, fail: 24, pass: passed, known: passed - 6, drift: passed }[state]
    const top = state === 'fail' ? 72 : 70 - height
    return html`<rect
      class="${looks[state].tone}"
      x="${index * 10 + 1}"
      y="${top}"
      width="8"
      height="${height}"
    />`
  })
  const points = runs.flatMap(({ latency }, index) =>
    latency ? [`${index * 10 + 5},${Math.round(66 - (56 * latency.p95) / slowest)}`] : [],
  )
  const [from, to] = [day((runs[0] as Run).at), day(lastOf(history).at)]
  const number = (state: State): string =>
    `${runs.filter((run) => stateOf(run) === state).length} ${looks[state].word}${state === 'known' ? ' with known failures' : ''}`
  const label = `Runs from ${from} to ${to}: ${(['pass', 'known', 'drift', 'fail', 'none'] as const).map(number).join(', ')}; p95 at most ${slowest} ms`
  return html`<svg
      class="chart"
      viewBox="0 0 ${runs.length * 10} 100"
      preserveAspectRatio="none"
      role="img"
      aria-label="${label}"
    >
      ${bars} ${points.length > 1 ? html`<polyline points="${points.join(' ')}" />` : undefined}
    </svg>
    <p class="soft">
      Bars: passes at the top, failures at the bottom. Line: latency (p95), at most ${slowest} ms.
    </p>`
}
