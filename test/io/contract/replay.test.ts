import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verify } from '../../../src/contract/index.ts'
import type { Received } from '../../support/http-server.ts'
import { key, startStore } from '../../support/store.ts'
import type { DefectId } from '../../../src/mock/index.ts'
import { anyFinding, conforming } from '../../unit/reporters/reports.ts'
import { makeFolder } from '../../support/folder.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { mistakeOf, run, withoutProgress } from '../cli/command.ts'

const env = { PETSTORE_API_KEY: key }
const input = {
  apiKey: key,
  settleMs: 0,
  only: ['list.limit.default', 'get.not-found', 'create.status'],
}
/** A report of the first run. */
const reportOf = (...ids: DefectId[]) =>
  verifyMock({ pets: 30, defects: ids }, { settleMs: 0, only: input.only })
const defective = (...ids: DefectId[]) => startStore({ defects: ids })
const posts = (requests: readonly Received[]): number =>
  requests.filter(({ method }) => method === 'POST').length

describe('petstore replay', () => {
  test('reports what still fails, by whole runs', async () => {
    const { url, requests } = await defective('list.default-100', 'get.missing-is-204')
    const folder = makeFolder()
    const whole = ['verify', url, '--settle', '0.3', '--reporter', 'json=report.json']
    expect((await run(whole, { env, cwd: folder })).code).toBe(1)
    const created = posts(requests)

    const { code, stdout, stderr } = await run(['replay', 'report.json', '--times', '1'], {
      env,
      cwd: folder,
    })
    expect(stdout).toMatch(
      /^Re-run of 2 causes against http:\/\/127\.0\.0\.1:\d+\/v1\n\d+ requests, \d+ pets created\n\n/,
    )
    expect(stdout).toContain('STILL FAILING  list.limit.default  (seen in 1 of 1 run)\n')
    expect(stdout).toContain('STILL FAILING  get.not-found  (seen in 1 of 1 run)\n')
    // Beside what a conforming service responds, as in other reports.
    const lines = stdout.split('\n').map((line) => line.trim())
    expect(lines).toContainEqual(
      expect.stringMatching(/^a conforming service: 200, 20 pets \(here \d+ pets\)$/),
    )
    expect(lines).toContainEqual(
      expect.stringMatching(/^a conforming service: 404 \(here 204\), \{"code":/),
    )
    expect(lines).toContainEqual(expect.stringContaining(`curl -sS -i '${url}/pets' -H "`))
    expect(stdout).not.toMatch(/FIXED|FLAKY|INCONCLUSIVE/)
    expect(code).toBe(1)
    expect(withoutProgress(stderr)).toBe('')
    expect(posts(requests)).toBe(2 * created)
  })

  test('shows each cause once, as the run now saw it', async () => {
    const { url } = await defective('create.forgets-previous', 'get.missing-is-204')
    const cwd = makeFolder()
    const whole = ['verify', url, '--settle', '0.3', '--reporter', 'json=report.json']
    const { stderr: before } = await run(whole, { env, cwd })
    const causes = Number(/FAIL {2}(\d+) cause/.exec(before)?.[1])
    expect(before).toMatch(/cause, [1-9] consequences?,/)
    const { stdout } = await run(['replay', 'report.json', '--times', '1'], { env, cwd })
    expect(stdout).toContain(`Re-run of ${causes} cause`)
    expect(stdout.match(/^STILL FAILING/gm)).toHaveLength(causes)
    expect(stdout).toContain('Probably also breaks ')
    // The names of pets begin with the id of their run.
    expect(new Set(stdout.match(/Petkit \w+/g)).size).toBe(1)
  })

  test('reports what is fixed, also on another deployment', async () => {
    const broken = await defective('list.default-100', 'get.missing-is-204')
    const fixed = await startStore()
    const folder = makeFolder({
      'report.json': {
        ...(await reportOf('list.default-100', 'get.missing-is-204')),
        target: broken.url,
      },
    })
    const sent = broken.requests.length
    const { code, stdout } = await run(['replay', 'report.json', '--url', fixed.url], {
      env,
      cwd: folder,
    })
    expect(stdout).toContain(`against ${fixed.url}\n`)
    expect(stdout).toContain('FIXED          list.limit.default  (seen in 0 of 3 runs)\n')
    expect(stdout).toContain(
      '\nA finding is fixed if no run showed it. Findings that occur by chance need more runs: --times 20.\n',
    )
    expect(stdout).not.toMatch(/FAILING|FLAKY|INCONCLUSIVE/)
    expect(code).toBe(0)
    expect(broken.requests).toHaveLength(sent)
  })

  test('warns that another failure may hide a fixed finding', async () => {
    const after = await defective('list.default-100')
    const report = await reportOf('list.default-100', 'get.missing-is-204')
    const args = ['replay', 'report.json', '--times', '1', '--url', after.url]
    const { stdout } = await run(args, { env, cwd: makeFolder({ 'report.json': report }) })
    expect(stdout).toMatch(/FIXED +get\.not-found/)
    expect(stdout).toContain(
      '\nA finding is fixed if no run showed it. The failure of another may hide it, or have caused it.\n',
    )
  })

  test('reports inconclusive findings with the reason', async () => {
    const folder = makeFolder({ 'report.json': await reportOf('list.default-100') })
    const args = ['replay', 'report.json', '--url', 'http://petstore.invalid/v1']
    const { code, stdout } = await run([...args, '--read-only'], { env, cwd: folder })
    expect(stdout).toContain('INCONCLUSIVE   list.limit.default  (no run was conclusive)\n')
    expect(stdout).toContain('\nthe target cannot be reached: its host name cannot be resolved')
    expect(code).toBe(3)
    // Creating pets on a remote target needs an explicit option, as in a run.
    const { code: rejected, stderr } = await run(args, { env, cwd: folder })
    expect(rejected).toBe(2)
    expect(stderr).toContain('the run would create up to 25 pets')
  })

  test('uses the key of a named deployment, and is read-only for production', async () => {
    const { url, requests } = await defective('create.status-ignored', 'list.default-100')
    const folder = makeFolder({
      'report.json': await reportOf('create.status-ignored', 'list.default-100'),
      'petstore.config.json': {
        deployments: { production: { baseUrl: url, keyEnv: 'PETSTORE_SHOP_KEY' } },
      },
    })
    const created = posts(requests)
    const args = ['replay', 'report.json', '--url', 'production', '--times', '1']
    const { code, stdout } = await run(args, { env: { PETSTORE_SHOP_KEY: key }, cwd: folder })
    expect(stdout).toContain(
      'INCONCLUSIVE   create.status  (no run was conclusive: the run is read-only)',
    )
    expect(stdout).toContain('STILL FAILING  list.limit.default')
    expect(code).toBe(1)
    expect(posts(requests)).toBe(created)
  })

  test('reaches the target as the run did, and says what only the command line can give', async () => {
    const { url, requests } = await defective('create.status-ignored')
    const deployments = {
      staging: { baseUrl: url, keyEnv: 'PETSTORE_STAGING_KEY', readOnly: true },
    }
    const cwd = makeFolder({ 'petstore.config.json': { deployments } })
    const least = ['--settle', '0.3', '--reporter', 'json=report.json']
    const replay = (...args: string[]) =>
      run(['replay', 'report.json', '--times', '1', ...args], { env: staged, cwd })
    const staged = { ...env, PETSTORE_STAGING_KEY: key }

    // By its URL, the configuration of the same address says nothing about it.
    expect((await run(['verify', url, ...least], { env, cwd })).code).toBe(1)
    const byUrl = await run(['replay', 'report.json', '--times', '1'], { env, cwd })
    expect([byUrl.code, byUrl.stdout], byUrl.stderr).toEqual([
      1,
      expect.stringContaining('STILL FAILING  create.status'),
    ])

    const named = ['verify', 'staging', '--allow-writes', ...least]
    expect((await run(named, { env: staged, cwd })).code).toBe(1)
    const created = posts(requests)
    const without = await replay()
    expect([without.code, posts(requests)]).toEqual([3, created])
    expect(without.stderr).toContain(
      'report.json: the run had --allow-writes, which only the command line can give',
    )
    expect(without.stdout).toContain(
      'INCONCLUSIVE   create.status  (no run was conclusive: the run is read-only)',
    )
    expect(without.stdout).toContain(
      '\nThe run is read-only (readOnly of staging in petstore.config.json); --allow-writes also checks creations.\n',
    )
    const allowed = await replay('--allow-writes')
    expect([allowed.code, allowed.stderr]).toEqual([
      1,
      expect.not.stringContaining('which only the command line'),
    ])
  })

  test('of a foreign report takes no program, variable, file or permission from it', async () => {
    const { url, requests } = await defective('create.status-ignored')
    const marker = join(makeFolder(), 'started')
    const access = {
      'key-command': [`touch ${marker}; echo ${key}`],
      config: ['other.json'],
      'allow-writes': [],
      insecure: [],
    }
    const reached = { options: { ...access, rate: ['800/s'], 'no-such-option': ['x'] }, access }
    const report = { ...(await verify({ ...input, baseUrl: url })), reached }
    const cwd = makeFolder({ 'report.json': report })
    const sent = requests.length
    const { code, stderr } = await run(['replay', 'report.json', '--times', '1'], {
      cwd,
    })
    expect([code, stderr]).toEqual([2, expect.stringContaining('the API key is missing')])
    expect(requests).toHaveLength(sent)
    expect(existsSync(marker)).toBe(false)
  })

  test.each([
    [['text.json'], 'text.json:1:1: the report is not JSON: invalid symbol'],
    [['old.json'], 'there is no check "of.old"; the report comes from another version'],
  ])('%j is rejected', async (args, message) => {
    const finding = { ...anyFinding, requirement: 'list.success', during: 'of.old', message: 'x' }
    const folder = makeFolder({
      'text.json': 'CONFORMS  49 requirements verified',
      'old.json': { ...conforming(), findings: [finding] },
    })
    expect(await mistakeOf(['replay', ...args], { env, cwd: folder })).toMatch(message)
  })
})

describe('a report whose target is neither on this machine nor configured', () => {
  const target = 'http://petstore.invalid/v1'
  const finding = {
    ...anyFinding,
    requirement: 'list.success',
    during: 'list-pets.responses',
    message: 'x',
  }
  const report = { ...conforming(), target, findings: [finding] }

  test('gets the key only with --url', async () => {
    const folder = makeFolder({ 'report.json': report })
    const message = `report.json names "${target}", which is neither on this machine nor in petstore.config.json; to send the key there, give it with --url`
    expect(await mistakeOf(['replay', 'report.json', '--read-only'], { env, cwd: folder })).toBe(
      message,
    )
    const args = ['replay', 'report.json', '--read-only', '--times', '1', '--retry-budget', '0']
    const given = await run([...args, '--url', target], { env, cwd: folder })
    expect(given).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('INCONCLUSIVE   list.success'),
    })
  })

  test.each([
    'http://127.0.0.1.example.com/v1',
    'http://localhost@petstore.invalid/v1',
    'file:///etc/passwd',
    'a\nb',
    '',
  ])('includes %j', async (hostile) => {
    const folder = makeFolder({ 'report.json': { ...report, target: hostile } })
    const message = await mistakeOf(['replay', 'report.json', '--read-only'], { env, cwd: folder })
    expect(message).toContain(`report.json names ${JSON.stringify(hostile)}, which is neither`)
  })

  test('a configured deployment gets its own key, and is named', async () => {
    const staging = { baseUrl: `${target}/`, keyEnv: 'PETSTORE_SHOP_KEY', readOnly: true }
    const folder = makeFolder({
      'report.json': report,
      'petstore.config.json': { deployments: { staging } },
    })
    const args = ['replay', 'report.json', '--times', '1', '--retry-budget', '0']
    expect((await run(args, { env, cwd: folder })).stderr).toContain(
      'the API key is missing: set PETSTORE_SHOP_KEY',
    )
    const { code, stderr } = await run(args, { env: { PETSTORE_SHOP_KEY: key }, cwd: folder })
    expect(stderr).toMatch(
      /^petstore\.config\.json: .*, deployment staging, http:\/\/petstore\.invalid\n$/,
    )
    expect(code).toBe(3)
  })
})
