/** `npm run pictures`: takes the screenshots in docs/images, for light and dark mode. A row of the table has a name, and a preparation. */
import { mkdirSync, writeFileSync } from 'node:fs'
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
  // With a single process, closing a page would end the browser.
  args: [...packed.args, '--no-sandbox'].filter((arg) => arg !== '--single-process'),
})
for (const colorScheme of ['light', 'dark']) {
  const tab = await browser.newPage({ viewport: { width: 1120, height: 700 }, colorScheme })
  for (const [name, act] of pictures) {
    await tab.goto(mock.consoleUrl)
    await act(tab)
    // Nothing is under the pointer.
    await tab.mouse.move(0, 0)
    await tab.waitForTimeout(500)
    const suffix = colorScheme === 'dark' ? '-dark' : ''
    writeFileSync(
      join(folder, `${String(name)}${suffix}.webp`),
      await toWebp(await tab.screenshot()),
    )
  }
  await tab.close()
}
await browser.close()
await mock.close()

/** Converts a screenshot in the browser: less than half the size of a PNG. */
async function toWebp(png) {
  const page = await browser.newPage()
  const base64 = await page.evaluate(
    async (source) => {
      const image = await createImageBitmap(await (await fetch(source)).blob())
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: image.width, height: image.height })
      canvas.getContext('2d').drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', 0.8).split(',')[1]
    },
    `data:image/png;base64,${png.toString('base64')}`,
  )
  await page.close()
  return Buffer.from(base64, 'base64')
}
