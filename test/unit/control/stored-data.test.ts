/** Whatever a run of the suite and hostile clients leave in a mock, each consumer of stored data still reads it. */
import { Script } from 'node:vm'
import { beforeAll, expect, test } from 'vitest'
import { toJsonLine, toTextLine } from '../../../src/cli/mock/request-log.ts'
import { createEventReader } from '../../../src/console/state/event-stream.ts'
import { formats } from '../../../src/console/screens/requests/detail/copy-as.ts'
import { toMockUse } from '../../../src/console/screens/rules/mock-use.ts'
import { parseJson, printJson, type JsonValue } from '../../../src/json.ts'
import { createMock, defaultKey, type JournalEntry } from '../../../src/mock/index.ts'
import type { LoggedRequest } from '../../../src/mock/sandbox/types.ts'
import { scorecardReporters } from '../../../src/mock/scorecard/reporters.ts'
import { carryOutAt, dispatcherOf } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import { bodyOf, controlInProcess } from './control.ts'

const log: LoggedRequest[] = []
const clock = new VirtualClock()
const mock = createMock({ onRequest: (entry) => log.push(entry) })
const { get } = controlInProcess({ mock })

const hostile = [
  '\u2028',
  '\u2029',
  '\u0085',
  '\0',
  '\ufeff',
  '\u202e',
  '\ud800',
  '\r\n\r\ndata: {}\n\n',
  '\u001b[2J',
  '<script>',
  "'; touch x; '",
  '$(touch x)',
  '[redacted]',
  '9'.repeat(900),
  'x'.repeat(5_000),
  '__proto__',
]

beforeAll(async () => {
  await carryOutAt(clock, {
    baseUrl: 'http://localhost:1/v1',
    apiKey: defaultKey,
    dispatcher: dispatcherOf(mock.handle, clock),
  })
  for (const text of hostile) {
    const headers = {
      authorization: `Bearer ${defaultKey}`,
      'content-type': 'application/json',
      'x-odd': text,
      [`x-${text.replaceAll(/[^a-z]/g, '')}`]: [text, text],
    }
    const pet = `{"name":${JSON.stringify(text)},"categoryId":-9223372036854775808}`
    await mock.handle({ method: 'GET', target: `/v1/pets?${text}=${text}`, headers, body: '' })
    await mock.handle({ method: 'POST', target: '/v1/pets', headers, body: pet })
    await mock.handle({ method: text, target: text, headers: { 'x-odd': text }, body: text })
    mock.use({ when: { body: { name: text, id: 9007199254740993n } }, delayMs: 1 })
  }
})

const entries = (): JournalEntry[] => mock.journal.list()

test('the event stream has one event for each entry, in the words of the journal', async () => {
  const reply = await get('/events?after=0')
  if (!('stream' in reply)) throw new Error('no stream')
  const reader = reply.stream.pipeThrough(new TextDecoderStream()).getReader()
  const read = createEventReader()
  const rows: unknown[] = []
  while (rows.length < entries().length) {
    const { value = '' } = await reader.read()
    // Also for clients that end lines at other characters than the standard.
    expect(value).not.toMatch(/[\u0085\u2028\u2029]/)
    for (const { name, data } of read(value)) if (name === 'entry') rows.push(parseJson(data))
  }
  await reader.cancel()
  expect(printJson(rows as JsonValue)).toBe(printJson(mock.journal.summaries()))
})

test('the journal and its archive are read as they are', async () => {
  const journal = parseJson(await bodyOf(await get('/journal'))) as { entries: unknown[] }
  expect(journal.entries).toHaveLength(entries().length)
  const har = await bodyOf(await get('/journal.har'))
  expect(printJson(parseJson(har))).toBe(printJson(await mock.journal.toHar()))
})

test('the log has one line for each request', () => {
  expect(log).toHaveLength(entries().length)
  for (const entry of log) {
    expect(toTextLine({ color: false, rulesOf: () => [] })(entry).trimEnd()).toMatch(
      /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u,
    )
    const line = toJsonLine(entry, true).trimEnd()
    expect(line).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u)
    expect((parseJson(line) as { number: number }).number).toBe(entry.number)
  }
})

test('scorecards are printed in each format', async () => {
  const cards = await mock.scorecards()
  for (const [name, render] of Object.entries(scorecardReporters)) {
    const text = render(cards)
    expect(text.length, name).toBeGreaterThan(100)
    expect(text, name).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
  }
})

test('exported pets are imported unchanged', async () => {
  const text = await bodyOf(await get('/pets'))
  const copy = createMock({ pets: 0 })
  copy.catalog.import(parseJson(text) as JsonValue[])
  expect(printJson(copy.catalog.export())).toBe(printJson(mock.catalog.export()))
})

test('copied code is code: requests and rules', () => {
  for (const entry of entries()) {
    for (const [name, format] of Object.entries(formats)) {
      const text = format(entry, 'http://127.0.0.1:4010')
      expect(text, name).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
      if (name !== 'curl') expect(() => new Script(`async () => {${text}}`), text).not.toThrow()
    }
  }
  const rules = mock.rules().map(({ when, delayMs }) => ({ when, delayMs }))
  expect(() => new Script(toMockUse(rules))).not.toThrow()
})
