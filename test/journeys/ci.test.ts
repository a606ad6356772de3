/** A team that verifies its staging in CI: behind a gateway, red with a defect, triaged as printed, green again. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectNoSecret, runSafely, secrets, Staging } from './gateway.ts'
import { type Finished, linesOf, Project } from './project.ts'

const team = new Project(secrets)
const staging = new Staging(60)

const verify = 'npx petstore-kit verify staging'
const run = (line: string): ReturnType<Project['run']> => runSafely(team, line)
const read = (name: string): string => {
  const text = readFileSync(join(team.folder, name), 'utf8')
  expectNoSecret(text)
  return text
}

test('init names the deployment; the team adds the header of its gateway', async () => {
  const address = await staging.open()
  expect((await run(`npx petstore-kit init ${address}`)).code).toBe(0)
  expect(existsSync(join(team.folder, '.github/workflows/contract.yml'))).toBe(true)
  const config = JSON.parse(read('petstore.config.json')) as {
    deployments: { staging: Record<string, unknown> }
  }
  expect(config.deployments.staging['baseUrl']).toBe(address)
  config.deployments.staging['headers'] = { 'x-api-key': { env: 'PETSTORE_GATEWAY_SECRET' } }
  config.deployments.staging['readOnly'] = false
  team.write({ 'petstore.config.json': config })
})

test('a conforming staging behind the gateway passes', async () => {
  await staging.deploy()
  const { code, stdout, stderr } = await run(
    `${verify} --allow-writes --history history --reporter text --reporter junit=report.xml --reporter html=report.html --reporter json=good.json --log good.har`,
  )
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^PASS/m)])
  expect(read('report.xml')).toMatch(/<testsuite/)
  expect(read('report.html')).toMatch(/<html/)
})

test('a defect is red, and a replay of the same deployment fails still', async () => {
  await staging.deploy('--defect list.limit-ignored --pets 130')
  const { code, stdout, stderr } = await run(
    `${verify} --allow-writes --history history --reporter text --reporter json=report.json --log red.har`,
  )
  expect([code, stdout], stderr).toEqual([1, expect.stringMatching(/^FAIL/m)])
  expect(stdout).toMatch(/limit/)
  // Every curl command of the output reproduces a violation, as printed.
  const reproductions = linesOf(stdout, /^(\$ )?curl /)
  expect(reproductions.length).toBeGreaterThan(0)
  for (const line of reproductions) {
    const { code: exit, stdout: body } = await team.run(line.replace(/^\$ /, ''))
    expect([exit, body], line).toEqual([0, expect.stringMatching(/^\[\{"id":/m)])
  }
  // Every command that the run advises exists, and does not fail as wrong usage.
  const next = linesOf(stdout, /^(Next: +)?(npx petstore-kit|petstore) /).map((line) =>
    line.replace(/^Next: +/, '').replace(/ {2,}.*$/, ''),
  )
  const outcomes = new Map<string, Finished>()
  for (const line of next) outcomes.set(line, await run(line))
  for (const [line, advised] of outcomes) expect(advised.code, line).not.toBe(2)
  const replays = [...outcomes].filter(([line]) => line.includes(' replay '))
  expect(replays.map(([, { code: exit, stdout: text }]) => [exit, text])).toEqual([
    [1, expect.stringMatching(/^STILL FAILING/m)],
  ])
})

test('the logs of the runs can be judged again, offline', async () => {
  const judge = async (name: string): Promise<Finished> => {
    expect(read(name)).toContain('"entries"')
    return run(`npx petstore-kit judge ${name}`)
  }
  const good = await judge('good.har')
  expect(good.code, good.stdout + good.stderr).toBe(0)
  const red = await judge('red.har')
  expect([red.code, red.stdout]).toEqual([1, expect.stringContaining('list.limit.respected')])
})

test('the requirement is explained', async () => {
  const { findings } = JSON.parse(read('report.json')) as { findings: { requirement: string }[] }
  for (const id of new Set(findings.map((one) => one.requirement))) {
    const { code, stdout, stderr } = await run(`npx petstore-kit explain ${id}`)
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining(id)])
  }
})

test('a baseline excuses what is known, and nothing else', async () => {
  const made = await run(
    "npx petstore-kit baseline report.json --reason 'until the next release' --ticket SHOP-12 --output baseline.json",
  )
  expect(made.code).toBe(0)
  const known = await run(`${verify} --allow-writes --baseline baseline.json`)
  expect([known.code, known.stdout]).toEqual([0, expect.stringMatching(/known/)])
  await staging.deploy('--defect list.limit-ignored --defect auth.any-token --pets 130')
  const other = await run(`${verify} --allow-writes --baseline baseline.json`)
  expect(other.code).toBe(1)
})

test('after the fix, a replay passes, and the baseline is stale', async () => {
  await staging.deploy('--pets 130')
  const { code, stdout } = await run('npx petstore-kit replay report.json --allow-writes')
  expect(code, stdout).toBe(0)
  const stale = await run(`${verify} --allow-writes --baseline baseline.json --history history`)
  expect([stale.code, stale.stdout + stale.stderr]).toEqual([
    0,
    expect.stringContaining('is verified now: remove its entry from the baseline'),
  ])
})

test('the history shows the failure between two passes', async () => {
  const { code, stdout } = await run('npx petstore-kit history staging --history history')
  expect(code, stdout).toBe(0)
  expect(stdout).toMatch(/3 runs/)
})
