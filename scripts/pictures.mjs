/** `npm run pictures`: takes the screenshots in docs/images. A row of the table has a name, and a preparation. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import packed from '@sparticuz/chromium'
import { chromium } from 'playwright-core'

import { defaultKey, startMock } from '../dist/mock/index.js'

const pictures = [
  ['console', (tab) => tab.getByRole('link', { name: 'GET /v1/pets?limit=0' }).click()],
  ['console-scorecard', (tab) => tab.getByRole('link', { name: 'Scorecard' }).click()],
]
const requests = [
  ['GET', 'pets?limit=3'],
  ['GET', 'pets?status=sold&limit=20'],
  ['GET', 'pets/7'],
  ['POST', 'pets', '{"name":"Käthe","categoryId":3}'],
  ['GET', 'pets?limit=0'],
  ['GET', 'pets/4711'],
  ['POST', 'pets', '{"name":"Bo"}'],
  ['GET', 'pets?limit=20'],
]

const folder = join(import.meta.dirname, '../docs/images')
mkdirSync(folder, { recursive: true })
const mock = await startMock({ port: 4010 })
const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }
for (const [method, target, body] of requests)
  await fetch(`${mock.url}/${target}`, { method, headers, body })

const browser = await chromium.launch({
  executablePath: await packed.executablePath(),
  args: [...packed.args, '--no-sandbox'],
})
const tab = await browser.newPage({ viewport: { width: 1120, height: 700 }, colorScheme: 'light' })
for (const [name, act] of pictures) {
  await tab.goto(mock.consoleUrl)
  await act(tab)
  await tab.waitForTimeout(500)
  await tab.screenshot({ path: join(folder, `${String(name)}.png`) })
}
await browser.close()
await mock.close()
