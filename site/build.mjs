/**
 * `npm run site`: builds the site into site/dist. The samples are reports of real runs against mocks.
 * `SITE_BASE=/petstore-kit/` sets the base path of the site.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

const here = import.meta.dirname
const root = join(here, '..')
const out = join(here, 'dist')
const pages = ['.', 'docs', 'examples', 'bench'].flatMap(pagesBelow)

if (!existsSync(join(here, 'node_modules')))
  run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here })
run('npm', ['run', 'build', '--silent'], { cwd: root })
// Pages can import Vue only from below this folder.
rmSync(join(here, 'pages'), { recursive: true, force: true })
for (const page of pages) {
  const copy = join(here, 'pages', page.replace(/README\.md$/, 'index.md'))
  mkdirSync(dirname(copy), { recursive: true })
  const toIndex = (link) =>
    existsSync(join(root, dirname(page), link, 'README.md')) ? join(link, 'index.md') : link
  const text = readFileSync(join(root, page), 'utf8').replaceAll(
    /(?<=\]\([^)\s]*)README\.md/g,
    'index.md',
  )
  const tried =
    page === 'README.md' ? text.replace('\n## ', '\n<div class="try"></div>\n\n## ') : text
  writeFileSync(
    copy,
    tried.replaceAll(/(?<=\]\()(?!\w+:|#)[^)#\s]+/g, (link) => toIndex(link)),
  )
}
cpSync(join(root, 'LICENSE'), join(here, 'pages/LICENSE.md'))
cpSync(join(root, 'docs/images'), join(here, 'pages/docs/images'), { recursive: true })
run(process.execPath, [join(here, 'node_modules/vitepress/bin/vitepress.js'), 'build', '.'], {
  cwd: here,
})
await writeSamples(join(out, 'samples'))
copyLinkedFiles()
console.log(`The site is in ${relative(process.cwd(), out) || '.'}.`)

/** Writes a passing and a failing report, the scorecard of a client with mistakes, and a run in a terminal. */
async function writeSamples(folder) {
  const { startMock, defaultKey } = await import('../dist/mock/index.js')
  mkdirSync(folder, { recursive: true })
  const petstore = (...args) =>
    runInTerminal([join(root, 'dist/bin/petstore.js'), ...args], defaultKey)
  const casts = []
  for (const [name, defects] of [
    ['pass', []],
    ['fail', ['list.limit-ignored', 'create.same-id']],
  ]) {
    const mock = await startMock({ defects })
    await petstore('verify', mock.url, '--reporter', `html=${join(folder, `report-${name}.html`)}`)
    casts.push([`petstore verify ${mock.url}`, await petstore('verify', mock.url)])
    await mock.close()
  }
  const mock = await startMock()
  const headers = { authorization: `Bearer ${defaultKey}` }
  for (const target of ['/pets', '/pets?limit=500', '/pets/1', '/pets/0', '/pets?state=sold']) {
    await fetch(`${mock.url}${target}`, { headers })
  }
  await petstore(
    'scorecard',
    new URL(mock.url).origin,
    '--reporter',
    `html=${join(folder, 'scorecard.html')}`,
  )
  await mock.close()
  writeFileSync(join(folder, 'terminal.html'), toTerminalPage(casts))
}

/** Records the output of a command with times in seconds. Asynchronous, because the mock runs in this process. */
function runInTerminal(args, key) {
  const env = { ...process.env, PETSTORE_API_KEY: key, FORCE_COLOR: '1', COLUMNS: '80' }
  const startedAt = performance.now()
  const pieces = []
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (text) =>
      pieces.push({ text, at: (performance.now() - startedAt) / 1000 }),
    )
    child.on('error', reject).on('close', () => resolve(pieces))
  })
}

/** Creates a page that replays runs without a script: each line has its own delay. */
function toTerminalPage(casts) {
  let from = 0
  const lines = casts.flatMap(([command, pieces]) => {
    const start = from
    const shown = pieces.flatMap(({ text, at }) =>
      text
        .replace(/\n$/, '')
        .split('\n')
        .map((line, index) => toLine(line, start + 1 + at + index * 0.04)),
    )
    from = start + 4 + (pieces.at(-1)?.at ?? 0) + shown.length * 0.04
    return [toLine(`$ ${command}`, start), ...shown, toLine('', start)]
  })
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>petstore verify in a terminal</title>
<style>
body { margin: 0; padding: 1.5rem; background: #14181d; color: #d8dee6; }
pre { font: 14px/1.5 ui-monospace, monospace; white-space: pre-wrap; margin: 0; }
span { display: block; min-height: 1.5em; animation: show 1ms backwards; }
b { color: #fff; } i { font-style: normal; } .red { color: #ff8a80; } .green { color: #7fd7a4; } .yellow { color: #f2cc60; } .dim { color: #97a3b0; }
@keyframes show { from { visibility: hidden; } }
@media (prefers-reduced-motion: reduce) { span { animation: none; } }
</style>
<pre>${lines.join('')}</pre>
`
}

/** Converts a terminal line to HTML, with the few colors that the kit uses. */
function toLine(line, at) {
  const names = {
    1: 'b',
    2: 'i class="dim"',
    31: 'i class="red"',
    32: 'i class="green"',
    33: 'i class="yellow"',
  }
  const text = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const parts = text.split(/\x1b\[([\d;]*)m/)
  let open = ''
  const html = parts.map((part, index) => {
    if (index % 2 === 0) return part
    const end = open === '' ? '' : `</${open.split(' ')[0]}>`
    open = names[part] ?? ''
    return end + (open === '' ? '' : `<${open}>`)
  })
  return `<span style="animation-delay: ${at.toFixed(2)}s">${html.join('')}</span>`
}

/** Copies linked files that are not pages. */
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
