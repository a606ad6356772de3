/** `petstore judge` on the file of `verify --log` finds what a judge of the passing traffic finds. */
import { describe, expect, test } from 'vitest'
import { readArchive } from '../../../src/cli/proxy/archive.ts'
import type { HttpArchive, Report } from '../../../src/contract/index.ts'
import { createMock, defaultKey, defects } from '../../../src/mock/index.ts'
import { createJudge } from '../../../src/proxy/judge.ts'
import { makeFolder } from '../../support/folder.ts'
import { judging } from '../../support/judge-traffic.ts'
import { sample } from '../../support/level.ts'
import { conformingVariants } from '../../support/variants/catalog.ts'
import { carryOutAt, dispatcherOf } from '../../support/verify-in-process.ts'
import { verifyVariant, violationsIn } from '../../support/verify-variant.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const baseUrl = 'http://localhost:1/v1'

const violated = ({ findings }: Report): string[] =>
  [
    ...new Set(findings.flatMap(({ requirement, alsoBreaks }) => [requirement, ...alsoBreaks])),
  ].toSorted()

/** Judges a log as the command does. */
async function judgeLog(archive: HttpArchive | undefined, url: string): Promise<Report> {
  const folder = makeFolder({ 'log.har': archive as object })
  const { exchanges } = await readArchive(`${folder}/log.har`)
  const judge = createJudge(url)
  const since = exchanges[0]?.passed.at ?? 0
  for (const { passed } of exchanges) judge.judge({ ...passed, sentAt: passed.at - since })
  return judge.report()
}

/** What a log does not hold: bytes that are no text, and the order within a millisecond. */
const notInLog = new Set([
  'http.latin-1',
  'http.byte-order-mark',
  'http.gzip-undeclared',
  'http.shorter-than-declared',
  // A log has times in milliseconds, which do not order creations at the same moment.
  'create.parallel-same-id',
])

describe.each(
  sample(
    defects.filter(({ id }) => !notInLog.has(id)),
    { usual: 96, slow: 12, all: 1 },
  ),
)('the defect $id', ({ id, pets = 40 }) => {
  test('is as visible in the log as in the traffic', async () => {
    const clock = new VirtualClock()
    const mock = createMock({ now: () => new Date(clock.now()), pets, defects: [id] })
    const { dispatcher, judge } = judging(baseUrl, dispatcherOf(mock.handle, clock))
    let archive: HttpArchive | undefined
    const onLog = (log: HttpArchive): void => void (archive = log)
    await carryOutAt(clock, { baseUrl, apiKey: defaultKey, dispatcher, runId: 'Bcdfgh', onLog })
    expect(JSON.stringify(archive)).not.toContain(defaultKey)
    expect(violated(await judgeLog(archive, baseUrl))).toEqual(violated(judge.report()))
  })
})

test.each(
  sample(
    conformingVariants.filter(({ verifyOptions }) => verifyOptions?.now === undefined),
    { usual: 192, slow: 32, all: 1 },
  ),
)('the log of the conforming variant $id shows no violation', async (variant) => {
  let archive: HttpArchive | undefined
  const onLog = (log: HttpArchive): void => void (archive = log)
  const [report] = await verifyVariant(variant, 1, 'in-process', { onLog })
  expect(violationsIn(await judgeLog(archive, report?.target ?? ''))).toEqual([])
})
