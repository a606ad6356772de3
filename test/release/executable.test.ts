/** `npm run executable`: the command in one file, without Node.js on the path. Downloads postject. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultKey } from '../../src/mock/index.ts'
import { makeFolder } from '../support/folder.ts'
import { root, run } from './shell.ts'

const folder = makeFolder({}, afterAll)
const petstore = join(folder, 'petstore')
const inFolder = (...args: string[]): Promise<string> =>
  run([petstore, ...args], folder, { PATH: '' })

beforeAll(async () => {
  await run(['npm', 'run', 'executable'])
  copyFileSync(join(root, 'executable/petstore'), petstore)
})

test('it is one file, and its notices name the packages in it', async () => {
  expect(statSync(petstore).size).toBeLessThan(150e6)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  expect((await inFolder('--version')).trim()).toBe(version)
  const notices = readFileSync(join(root, 'executable/THIRD-PARTY-NOTICES'), 'utf8')
  for (const name of ['ioredis', 'jsonc-parser'])
    expect(notices).toMatch(new RegExp(`^${name} \\d.*\\(`, 'm'))
})

test('its mock serves the interface, the console and the documents; its suite passes against it', async () => {
  const mock = spawn(petstore, ['mock', '--port', '0'], { cwd: folder, env: { PATH: '' } })
  afterAll(() => mock.kill())
  let said = ''
  mock.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  await expect.poll(() => said).toContain('Ctrl-C')
  const url = /Base URL +(\S+)/.exec(said)?.[1] ?? ''
  const page = await (await fetch(new URL('/_petstore/console/', url))).text()
  const [, script = ''] = /<script[^>]* src="\.\/([^"]+)"/.exec(page) ?? []
  expect((await fetch(new URL(`/_petstore/console/${script}`, url))).status).toBe(200)
  expect(await (await fetch(new URL('/_petstore/interface.json', url))).text()).toContain(url)

  expect(await inFolder('verify', url, '--key', defaultKey, '--reporter', 'text')).toMatch(/^PASS/m)
  mock.kill('SIGINT')
  expect(await once(mock, 'close')).toEqual([0, null])
})

test.each([
  [['openapi', '--yaml'], /^openapi: 3\.1/],
  [['explain', 'list.limit.default'], /^list\.limit\.default/],
  [['key', 'our-shop'], /^petstore_sandbox_our-shop_/],
  [['--help'], /petstore mock|Usage/],
] as const)('%j works', async (args, expected) => {
  expect(await inFolder(...args)).toMatch(expected)
})
