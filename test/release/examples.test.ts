/**
 * `npm run test:examples`: the examples of frameworks that this repository does not install. Each one installs the packed
 * package and the pinned versions of its framework from the npm registry, and runs its own tests.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packedChromium from '@sparticuz/chromium'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumArgs } from '../io/browser/drivers.ts'
import { makeFolder } from '../support/folder.ts'
import { installExample, pack, run } from './shell.ts'

const folder = makeFolder({}, afterAll)
let tarball = ''
let browser: Record<string, string> = {}
beforeAll(async () => {
  tarball = await pack(folder)
  browser = {
    CHROMIUM: await packedChromium.executablePath(),
    CHROMIUM_ARGS: JSON.stringify(chromiumArgs),
  }
})

test.each([
  ['vue-msw', 'src/PetList.vue'],
  ['angular-msw', 'src/pet-list.ts'],
  ['nextjs', 'app/page.jsx'],
  ['storybook', 'src/pet-list.jsx'],
])('%s: its tests pass, and notice a request that breaks the contract', async (name, client) => {
  const home = join(folder, name)
  await installExample(name, home, { 'petstore-kit': `file:${tarball}` })
  const runTests = (): Promise<string> =>
    run(['npm', 'test'], home, {
      ...browser,
      NEXT_TELEMETRY_DISABLED: '1',
      NG_CLI_ANALYTICS: 'false',
    })
  await runTests()

  const file = join(home, client)
  const code = readFileSync(file, 'utf8')
  expect(code).toContain('limit=5')
  writeFileSync(file, code.replace('limit=5', 'limit=500'))
  await expect(runTests()).rejects.toThrow(/limit|problem \(400\)|score/)
})
