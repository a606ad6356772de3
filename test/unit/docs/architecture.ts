import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folders } from '../../support/folders.ts'

/** A function that a request enters. */
interface Step {
  /** Below `src/`. */
  file: string
  name: string
  /** The first sentence of its comment. */
  does: string
}

/** What `GET /pets?limit=5` enters at a mock of the built package, from socket to socket. */
export function measureWay(): Step[] {
  const script = fileURLToPath(new URL('../../../scripts/paths.mjs', import.meta.url))
  const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  const [list] = JSON.parse(stdout) as [{ way: Step[] }]
  return list.way
}

/** The page with these functions, from the sockets to the pets: a folder imports those below it. */
export function withWay(page: string, way: readonly Step[]): string {
  const names = Object.keys(folders)
  const placeOf = ({ file }: Step): number => -names.indexOf(dirname(file))
  const rows = way
    // The profiler reports the files of a folder in no fixed order.
    .toSorted((one, other) => placeOf(one) - placeOf(other) || one.file.localeCompare(other.file))
    .map(({ file, name, does }) => {
      const shown = /^\w+$|^#/.test(name) ? `\`${name}\`` : name.replace(/^what (\w+)/, 'what `$1`')
      return `| \`${file.replace('mock/', '')}\` | ${shown} | ${does.replaceAll('|', '\\|')} |`
    })
  const files = new Set(way.map(({ file }) => file)).size
  return replacePart(page, 'way', [
    `These are ${way.length} functions in ${files} files, where a request like it came before:`,
    '',
    '| file of `src/mock/` | function | what it does |',
    '| --- | --- | --- |',
    ...rows,
  ])
}

/** Puts lines between the comments with a name. */
const replacePart = (page: string, name: string, lines: readonly string[]): string =>
  page.replace(
    new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`),
    (_, open: string, close: string) => `${open}\n${lines.join('\n')}\n\n${close}`,
  )

/** The page with the current table of folders. */
export function withFolders(page: string): string {
  const code = (name: string): string => (name === 'base' ? 'base' : `\`${name}\``)
  const rows = Object.entries(folders).map(
    ([name, { role, imports }]) => `| ${code(name)} | ${role} | ${imports.map(code).join(', ')} |`,
  )
  return replacePart(page, 'folders', [
    '| folder of `src/` | for | imports |',
    '| --- | --- | --- |',
    ...rows,
  ])
}
