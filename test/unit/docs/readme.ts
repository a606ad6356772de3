import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { verify } from '../../../src/contract/index.ts'
import { defaultKey, defects, startMock } from '../../../src/mock/index.ts'
import type { Flag } from '../../../src/options.ts'
import { commands } from '../../io/cli/command.ts'
import { conformingVariants } from '../../support/variants/catalog.ts'

const root = join(import.meta.dirname, '../../..')

/** Replaces the numbers of the README by the current ones. */
export async function withReality(readme: string): Promise<string> {
  const mock = await startMock()
  const { counts: run } = await verify({ baseUrl: mock.url, apiKey: defaultKey, settleMs: 300 })
  await mock.close()
  const counts: Record<string, string> = {
    defects: String(defects.length),
    variants: String(conformingVariants.length),
    requests: String(Math.round(run.requests / 10) * 10),
    writes: String(run.writes),
    installed: String(installedMegabytes()),
  }
  return readme.replaceAll(
    /(<!-- count:(\w+) -->).*?(<!-- \/count -->)/g,
    (_, open: string, name: string, close: string) => `${open}${counts[name]}${close}`,
  )
}

/** Commands whose options are for the most part those of others. */
const likeOthers: Readonly<Record<string, readonly string[]>> = {
  proxy: ['verify'],
  exec: ['mock', 'proxy'],
  judge: ['proxy'],
  replay: ['verify'],
  compare: ['verify'],
}

/** Replaces the option tables of a page by the current ones. What another command has as well is only named. */
export const withOptions = (page: string): string =>
  page.replaceAll(
    /(<!-- options:(\w+) -->\n)[\s\S]*?(<!-- \/options -->)/g,
    (_, open: string, name: string, close: string) => {
      let rest: readonly Flag[] = commands[name]?.flags ?? []
      const sentences = (likeOthers[name] ?? []).map((other) => {
        const all = commands[other]?.flags ?? []
        const rows = new Set(all.map(rowOf))
        const shared = rest.filter((flag) => rows.has(rowOf(flag)))
        rest = rest.filter((flag) => !shared.includes(flag))
        return sharedWords(other, shared, all)
      })
      return `${open}\n${[...sentences, optionsTable(rest)].join('\n\n')}\n\n${close}`
    },
  )

/** `As petstore verify: ...`, or what it lacks where that is shorter. */
function sharedWords(other: string, shared: readonly Flag[], all: readonly Flag[]): string {
  const names = (flags: readonly Flag[]): string =>
    flags.map(({ name }) => `\`--${name}\``).join(', ')
  const link = `[\`petstore ${other}\`](#petstore-${other})`
  const lacking = all.filter(({ name }) => shared.every((flag) => flag.name !== name))
  return lacking.length < shared.length
    ? `All options of ${link} except ${names(lacking)}.`
    : `As for ${link}: ${names(shared)}.`
}

const heads = ['option', 'meaning', 'default', 'environment']

function cellsOf({ name, value, env, default: fallback, help, repeatable }: Flag): string[] {
  const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``)
  const flag = `\`--${name}${value === undefined ? '' : ` ${value}`}\`${repeatable ? ', repeatable' : ''}`
  return [flag, help.replaceAll('|', '\\|').replaceAll('*', '\\*'), code(fallback), code(env)]
}

const rowOf = (flag: Flag): string => toRow(cellsOf(flag))
const toRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** A column that has nothing in any row is left out. */
function optionsTable(flags: readonly Flag[]): string {
  const rows = flags.map(cellsOf)
  const isUsed = (_: string, column: number): boolean => rows.some((cells) => cells[column] !== '')
  const used = heads.filter(isUsed)
  return [used, used.map(() => '---'), ...rows.map((cells) => cells.filter(isUsed))]
    .map(toRow)
    .join('\n')
}

/** The installed size of the dependencies of petstore-kit, in MB. */
function installedMegabytes(): number {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<
      string,
      { dev?: boolean; peer?: boolean; devOptional?: boolean; optional?: boolean }
    >
  }
  const folders = Object.entries(lock.packages)
    .filter(
      ([path, { dev, peer, devOptional, optional }]) =>
        path !== '' && !dev && !peer && !devOptional && !optional,
    )
    .map(([path]) => join(root, path))
  return Math.round(folders.reduce((sum, folder) => sum + sizeOf(folder), 0) / 1_000_000)
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
