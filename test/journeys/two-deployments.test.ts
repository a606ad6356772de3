/** The same team, with two deployments: compares them, and verifies one of them day after day. */
import { expect, test } from 'vitest'
import { configOf, expectNoSecret, runSafely, secrets, Staging } from './gateway.ts'
import { Project, startMock } from './project.ts'

const team = new Project(secrets)

test('two deployments are compared, a header of one stays with it', async () => {
  const staging = new Staging(60)
  const { deployments } = configOf(await staging.open())
  await staging.deploy('--pets 130')
  const other = await startMock(new Project(), '--behavior list.order=oldest-first')
  const second = { baseUrl: other.url, keyEnv: 'PETSTORE_OTHER_KEY' }
  team.write({ 'petstore.config.json': { deployments: { ...deployments, second } } })
  const { code, stdout, stderr } = await runSafely(
    team,
    `PETSTORE_OTHER_KEY=petstore-test-key npx petstore-kit compare staging second --allow-writes`,
  )
  expect([code, stdout], stderr).toEqual([1, expect.stringMatching(/list\.order/)])
  expectNoSecret(await (await fetch(`${other.control}/journal`)).text())
  await other.stop()
})

test('with --strict, twelve runs in a row stay green', async () => {
  const staging = new Staging()
  team.write({ 'petstore.config.json': configOf(await staging.open()) })
  await staging.deploy()
  for (let count = 1; count <= 12; count += 1) {
    const { code, stdout } = await runSafely(
      team,
      'npx petstore-kit verify staging --allow-writes --strict',
    )
    expect(code, `run ${count}\n${stdout}`).toBe(0)
  }
})
