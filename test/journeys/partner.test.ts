/** A partner without an API key: from a key made offline to a certificate, beside a noisy neighbor. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isInstalled } from '../release/shell.ts'
import { type Background, Project, startMock } from './project.ts'

const token = 'operator-token-1'
const operator = new Project()
const partner = new Project()
let mock: Background & { url: string; control: string }
let key = ''
let zoe = ''

const curl = (args: string): ReturnType<Project['run']> =>
  partner.run(`curl -sS -w ' %{http_code}' -H "Authorization: Bearer $KEY" ${args}`, { KEY: key })

interface Issue {
  id: string
  severity: string
}
interface Card {
  score: number | null
  requests: { received: number }
  issues: Issue[]
}

/** The scorecard of a sandbox, as its command prints it. */
async function scorecard(options = ''): Promise<{ code: number | null; card: Card }> {
  const { code, stdout, stderr } = await partner.run(
    `npx petstore-kit scorecard ${new URL(mock.url).origin} --sandbox our-shop --token ${key} --reporter json ${options}`,
  )
  expect(stderr).not.toMatch(/^ {4}at /m)
  const { scorecards } = JSON.parse(stdout) as { scorecards: [Card] }
  return { code, card: scorecards[0] }
}

const clear = (): Promise<Response> =>
  fetch(`${mock.control}/sandboxes/our-shop/reset`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  })

const host = async (): Promise<void> =>
  void (mock = await startMock(operator, `--control-token ${token} --explain --state state`))

test('the operator hosts a mock with a token', async () => {
  await host()
  expect((await fetch(`${mock.control}/sandboxes`)).status).toBe(401)
})

test('a key is made offline, and opens a sandbox of the hosted mock', async () => {
  const made = await partner.run('npx petstore-kit key our-shop')
  key = made.stdout.trim()
  expect(key).toMatch(/^petstore_sandbox_our-shop_[0-9a-f]{8}$/)
  const listed = await curl(`'${mock.url}/pets?limit=3'`)
  expect(listed.stdout).toMatch(/ 200$/)
  // Every sandbox has its own copy of the pets of the mock.
  const own = await fetch(`${mock.url}/pets?limit=3`, {
    headers: { authorization: 'Bearer petstore-test-key' },
  })
  expect(listed.stdout).toBe(`${await own.text()} 200`)
})

test('mistakes are found, each with its fix', async () => {
  await curl(`-d '{"name":"Rex"}' ${mock.url}/pets`)
  await curl(`'${mock.url}/pets?limit=500'`)
  await curl(
    `-H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":"1"}' ${mock.url}/pets`,
  )
  const { card } = await scorecard()
  expect(card.score).toBeLessThan(100)
  expect(card.issues.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['category-id.missing', 'content-type.other', 'limit.out-of-range']),
  )
  const { stdout } = await partner.run(
    `npx petstore-kit scorecard ${new URL(mock.url).origin} --sandbox our-shop --token ${key}`,
  )
  expect(stdout).toMatch(/To fix it: /)
})

test('the partner sees nothing of others, and others see nothing of the partner', async () => {
  const other = (await partner.run('npx petstore-kit key other-shop')).stdout.trim()
  const foreign = await fetch(`${mock.control}/sandboxes/our-shop/journal`, {
    headers: { authorization: `Bearer ${other}` },
  })
  expect(foreign.status).toBe(403)
})

test('after a reset, correct requests score 100', async () => {
  expect((await clear()).ok).toBe(true)
  const created = await curl(
    `-H 'Content-Type: application/json' -d '{"name":"Zoë","categoryId":1}' ${mock.url}/pets`,
  )
  expect(created.stdout).toMatch(/"name":"Zoë".* 201$/)
  zoe = /"id":(\d+)/.exec(created.stdout)?.[1] ?? ''
  await curl(`'${mock.url}/pets?status=sold&limit=100'`)
  const { code, card } = await scorecard('--min-score 100')
  expect([code, card.score]).toEqual([0, 100])
})

test('the pets of the partner outlast a killed mock', async () => {
  const unsaved = async (): Promise<string | undefined> => {
    const headers = { authorization: `Bearer ${token}` }
    const metrics = await (await fetch(`${mock.control}/metrics`, { headers })).text()
    return /^petstore_state_unsaved_seconds (.+)$/m.exec(metrics)?.[1]
  }
  await expect.poll(unsaved).toBe('0')
  expect(await mock.stop('SIGKILL')).toBeNull()
  await host()
  expect((await curl(`${mock.url}/pets/${zoe}`)).stdout).toMatch(/"name":"Zoë".* 200$/)
})

test('a noisy neighbor, and a client without a key, cost the partner nothing', async () => {
  const before = (await scorecard()).card.requests.received
  const body = 'y'.repeat(900_000)
  for (let sent = 0; sent < 45; sent += 1) {
    await fetch(`${mock.url}/pets`, { method: 'POST', body }).then((one) => one.text())
  }
  const noisy = (await partner.run('npx petstore-kit key noisy')).stdout.trim()
  const headers = { authorization: `Bearer ${noisy}` }
  const flood = Array.from({ length: 8 }, async () => {
    for (let sent = 0; sent < 500; sent += 1)
      await fetch(`${mock.url}/pets?limit=100`, { headers }).then((one) => one.text())
  })
  await Promise.all(flood)
  const { card } = await scorecard()
  expect([card.requests.received, card.score]).toEqual([before, 100])
})

/** The example, copied out of the package as its README says, against a varied mock. */
const clients: [name: string, tools: string[], seeds: number[]][] = [
  ['curl', ['curl'], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ['python', ['python3'], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ['go', ['go'], [1, 4, 8]],
]
describe.each(clients)('the client in %s', (name, tools, seeds) => {
  test.runIf(tools.every(isInstalled))('passes with other conforming behavior', async () => {
    const folder = join(partner.folder, name)
    cpSync(join(partner.folder, `node_modules/petstore-kit/examples/partner-${name}`), folder, {
      recursive: true,
    })
    for (const seed of seeds) {
      const { code, stdout, stderr } = await partner.run(
        `cd ${name} && petstore exec --vary ${seed} -- sh check.sh`,
      )
      expect(code, `--vary ${seed}\n${stdout}${stderr}`).toBe(0)
    }
  })
})

test('the certificate names score, date and seed', async () => {
  const { code, stdout, stderr } = await partner.run(
    `petstore exec --vary 7 -- sh -c 'PETSTORE_API_KEY=$(petstore key our-shop); export PETSTORE_API_KEY
for query in limit=5 status=available status=pending status=sold; do
  curl -sS -H "Authorization: Bearer $PETSTORE_API_KEY" "$PETSTORE_BASE_URL/pets?$query" >list.json
done
curl -sS -H "Authorization: Bearer $PETSTORE_API_KEY" -H "Content-Type: application/json" -d "{\\"name\\":\\"Rex\\",\\"categoryId\\":1}" "$PETSTORE_BASE_URL/pets"
curl -sS -H "Authorization: Bearer $PETSTORE_API_KEY" -H "Prefer: code=401" "$PETSTORE_BASE_URL/pets" >error.json
petstore scorecard --sandbox our-shop --min-score 100 --certificate certificate.html'`,
  )
  expect(code, stdout + stderr).toBe(0)
  const certificate = readFileSync(join(partner.folder, 'certificate.html'), 'utf8')
  expect(certificate).toMatch(/our-shop/)
  expect(certificate).toMatch(/100/)
  expect(certificate).toMatch(/\b7\b/)
})

test('the mock stops at once, with exit code 0', async () => {
  expect(await mock.stop()).toBe(0)
})
