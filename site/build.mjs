/**
 * `npm run site`: builds the site into site/dist. The samples are reports of real runs against mocks that are started here.
 * `SITE_BASE=/petstore-kit/` sets the path that the site is served below.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

const here = import.meta.dirname
const root = join(here, '..')
const out = join(here, 'dist')
const pages = ['.', 'docs', 'examples', 'bench'].flatMap(pagesBelow)

if (!existsSync(join(here, 'node_modules'))) run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here })
run('npm', ['run', 'build', '--silent'], { cwd: root })
// Pages find Vue only from below this folder.
rmSync(join(here, 'pages'), { recursive: true, force: true })
for (const page of pages) {
  const copy = join(here, 'pages', page.replace(/README\.md$/, 'index.md'))
  mkdirSync(dirname(copy), { recursive: true })
  const toIndex = (link) => (existsSync(join(root, dirname(page), link, 'README.md')) ? join(link, 'index.md') : link)
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/(?<=\]\([^)\s]*)README\.md/g, 'index.md')
  writeFileSync(
    copy,
    text.replaceAll(/(?<=\]\()(?!\w+:|#)[^)#\s]+/g, (link) => toIndex(link)),
  )
}
cpSync(join(root, 'LICENSE'), join(here, 'pages/LICENSE.md'))
run(process.execPath, [join(here, 'node_modules/vitepress/bin/vitepress.js'), 'build', '.'], { cwd: here })
await writeSamples(join(out, 'samples'))
copyLinkedFiles()
console.log(`The site is in ${relative(process.cwd(), out) || '.'}.`)

/** A green and a red report, and the scorecard of a client with mistakes. */
async function writeSamples(folder) {
  const { startMock, defaultKey } = await import('../dist/mock/index.js')
  mkdirSync(folder, { recursive: true })
  const environment = { ...process.env, PETSTORE_API_KEY: defaultKey }
  const petstore = (...args) =>
    spawnSync(process.execPath, [join(root, 'dist/bin/petstore.js'), ...args], { env: environment, stdio: 'ignore' })
  for (const [name, deviations] of [
    ['pass', []],
    ['fail', ['list.limit-ignored', 'create.same-id']],
  ]) {
    const mock = await startMock({ deviations })
    petstore('verify', mock.url, '--reporter', `html=${join(folder, `report-${name}.html`)}`)
    await mock.close()
  }
  const mock = await startMock()
  const headers = { authorization: `Bearer ${defaultKey}` }
  for (const target of ['/pets', '/pets?limit=500', '/pets/1', '/pets/0', '/pets?state=sold']) {
    await fetch(`${mock.url}${target}`, { headers })
  }
  petstore('scorecard', new URL(mock.url).origin, '--reporter', `html=${join(folder, 'scorecard.html')}`)
  await mock.close()
}

/** Copies what pages link to and is no page. */
function copyLinkedFiles() {
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8')
    for (const [, link] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      const file = normalize(join(dirname(page), link))
      if (
        file.startsWith('..') ||
        file.endsWith('.md') ||
        !statSync(join(root, file), { throwIfNoEntry: false })?.isFile()
      )
        continue
      cpSync(join(root, file), join(out, file))
    }
  }
}

function pagesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => normalize(join(folder, name)))
}

function run(command, args, options) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (status !== 0) process.exit(status ?? 1)
}
