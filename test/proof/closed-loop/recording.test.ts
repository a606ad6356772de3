/** A recorded mock is indistinguishable from its original for a read-only run. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { proxyFlags } from '../../../src/cli/proxy/proxy-command.ts'
import { writeOutputs } from '../../../src/cli/outputs.ts'
import { readRecording } from '../../../src/cli/verify/recording.ts'
import { compareReports, type Report } from '../../../src/contract/index.ts'
import type { Shown } from '../../../src/contract/judge/catalog.ts'
import { parseJson } from '../../../src/json.ts'
import {
  createMock,
  defaultKey,
  type MockOptions,
  readProfile,
  varyProfile,
} from '../../../src/mock/index.ts'
import { parseFlags } from '../../../src/options.ts'
import type { ExactPet } from '../../../src/spec/types.ts'
import { makeFolder } from '../../support/folder.ts'
import { drawn } from '../../support/level.ts'
import { verifyMock } from '../../support/verify-in-process.ts'

const all = makeFolder({}, afterAll)
let records = 0
const quiet = { notify() {}, env: {} } as never

/** Records a mock by a read-only run like the command line; returns the options of the recorded mock. */
async function record(
  options: MockOptions,
  names: readonly string[] = ['--keep-names'],
): Promise<{ report: Report; recorded: MockOptions }> {
  const folder = join(all, String((records += 1)))
  mkdirSync(folder)
  const [pets, profile] = [join(folder, 'pets.json'), join(folder, 'profile.json')]
  let shown: Shown = { listed: [], created: [] }
  const report = await verifyMock(options, { readOnly: true, onShown: (found) => (shown = found) })
  const words = ['--save', pets, '--save-profile', profile, ...names]
  const flags = parseFlags(proxyFlags, words, {})
  const recording = await readRecording(flags)
  expect(await writeOutputs(quiet, recording, { shown, report })).toBe(0)
  const recorded = {
    data: parseJson(readFileSync(pets, 'utf8')) as unknown as ExactPet[],
    profile: readProfile(parseJson(readFileSync(profile, 'utf8')), profile).profile,
  }
  return { report, recorded }
}

/** The differences between two mocks for a read-only run. */
async function differences(before: Report, options: MockOptions): Promise<unknown> {
  const after = await verifyMock(options, { readOnly: true })
  const { requirements, behaviors } = compareReports(before, after)
  const { regressed, fixed, incomparable } = requirements
  return {
    regressed,
    fixed,
    incomparable,
    differing: behaviors.differing,
    notes: [before.notes, after.notes].map((notes) => notes.length),
  }
}

const none = { regressed: [], fixed: [], incomparable: [], differing: [], notes: [0, 0] }
const seeds = drawn({ usual: 3, slow: 30, all: 100 }).map((nth) => nth + 1)

test.concurrent.each(seeds)('recorded from options of seed %i', async (seed) => {
  // Fewer than a page, a full page, and more than a page can show.
  const options = { pets: [12, 100, 130][seed % 3] as number, profile: varyProfile(seed), seed }
  const { report, recorded } = await record(options)
  expect(await differences(report, recorded)).toEqual({
    ...none,
    notes: [report.notes.length, report.notes.length],
  })
})

test.each(['oldest-first', 'newest-first', 'by-name'] as const)(
  'lists of %s show the same pets in the same order',
  async (order) => {
    const options: MockOptions = { pets: 90, profile: { 'list.order': order }, ids: 'large' }
    const { recorded } = await record(options)
    for (const path of ['/pets?limit=100', '/pets', '/pets?status=sold&limit=7']) {
      const [before, after] = await Promise.all(
        [options, recorded].map(async (one) =>
          createMock(one).handle({
            method: 'GET',
            target: `/v1${path}`,
            headers: { authorization: `Bearer ${defaultKey}` },
            body: '',
          }),
        ),
      )
      expect(after?.body).toBe(before?.body)
    }
  },
)

test('an anonymized recording is also indistinguishable', async () => {
  const { report, recorded } = await record({ pets: 40, profile: { 'list.order': 'by-name' } }, [])
  expect(await differences(report, recorded)).toEqual({
    ...none,
    notes: [report.notes.length, report.notes.length],
  })
})

test('another mock differs', async () => {
  const { report } = await record({ pets: 40, profile: { 'list.limit.above-maximum': 'clamp' } })
  expect(await differences(report, { pets: 40 })).toMatchObject({
    differing: [{ id: 'list.limit.above-maximum' }],
  })
})

test('the files have no character that changes how a terminal shows them', async () => {
  const folder = join(all, 'inert')
  mkdirSync(folder)
  const [pets, profile] = [join(folder, 'pets.json'), join(folder, 'profile.json')]
  const name = 'Rex \u202egnp.exe\u200b\u2066'
  const pet = { id: 1n, name, categoryId: 7n, status: 'available' } as const
  const code = 'bad\u202etseuqer'
  const words = ['--save', pets, '--keep-names', '--save-profile', profile]
  const flags = parseFlags(proxyFlags, words, {})
  const recording = await readRecording(flags)
  const report = { profile: { 'error.code.400': code } } as unknown as Report
  const shown = { listed: [pet], created: [] } as unknown as Shown
  expect(await writeOutputs(quiet, recording, { shown, report })).toBe(0)
  for (const file of [pets, profile]) {
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('\\u202e')
    expect(text).not.toMatch(/\p{Cf}/u)
  }
  expect(JSON.parse(readFileSync(pets, 'utf8'))[0].name).toBe(name)
  expect(JSON.parse(readFileSync(profile, 'utf8'))['error.code.400']).toBe(code)
})
