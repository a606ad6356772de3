/** The site builds from its own lock file, and has no dead links. `npm run test:all` runs this. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { byLevel } from '../../support/level.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const site = join(root, 'site/dist')

test.runIf(byLevel({ usual: false, slow: false, all: true }))(
  'the site has no dead links or anchors',
  () => {
    const { status, stderr } = spawnSync('npm', ['run', 'site', '--silent'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(0)
    const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.html'),
    )
    expect(pages.length).toBeGreaterThan(40)
    const dead = pages.filter((page) => page !== '404.html').flatMap((page) => deadLinksOf(page))
    expect(dead).toEqual([])
    expect(textOf(join(site, 'samples/report-pass.html'))).toContain('>PASS<')
    expect(textOf(join(site, 'samples/report-fail.html'))).toContain('>FAIL<')
    expect(textOf(join(site, 'samples/terminal.html'))).toMatch(/>PASS  \d[^]*>FAIL  \d/)
  },
  600_000,
)

const texts = new Map<string, string>()
function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(file, 'utf8')
  texts.set(file, text)
  return text
}

/** Links of a page to a missing file or id. */
function deadLinksOf(page: string): string[] {
  const file = join(site, page)
  const links = [
    ...textOf(file).matchAll(/<(?:a|link|img|script)\b[^>]*?\s(?:href|src)="([^"]*)"/g),
  ]
  return links.flatMap(([, link = '']) => {
    if (/^(?:[a-z]+:|\/\/)/i.test(link)) return []
    const [path = '', anchor = ''] = link.replaceAll('&amp;', '&').split('#')
    const target = fileOf(
      path === '' ? file : join(path.startsWith('/') ? site : dirname(file), decodeURI(path)),
    )
    const isThere =
      target !== undefined &&
      (anchor === '' || textOf(target).includes(`id="${decodeURIComponent(anchor)}"`))
    return isThere ? [] : [`${relative(site, file)}: ${link}`]
  })
}

/** The file that a static file server sends for a path. */
function fileOf(path: string): string | undefined {
  const candidates = [path, `${path}.html`, join(path, 'index.html')]
  return candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile())
}
