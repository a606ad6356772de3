import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { mockFlags } from '../../../src/cli/mock-flags.ts'
import { proxyFlags } from '../../../src/cli/proxy-command.ts'
import { verifyFlags } from '../../../src/cli/verify-flags.ts'
import { verify } from '../../../src/contract/index.ts'
import { defaultKey, deviations, startMock } from '../../../src/mock/index.ts'
import type { Flag } from '../../../src/options.ts'
import { conformingVariants } from '../../support/variants/catalogue.ts'

const root = join(import.meta.dirname, '../../..')

/** Replaces the numbers and option tables of the README by the current ones. */
export async function withReality(readme: string): Promise<string> {
  const mock = await startMock()
  const { counts: run } = await verify({ baseUrl: mock.url, apiKey: defaultKey, settleMs: 300 })
  await mock.close()
  const counts: Record<string, string> = {
    deviations: String(deviations.length),
    variants: String(conformingVariants.length),
    requests: String(Math.round(run.requests / 10) * 10),
    writes: String(run.writes),
    installed: String(installedMegabytes()),
  }
  const options: Record<string, readonly Flag[]> = {
    mock: mockFlags,
    verify: verifyFlags,
    proxy: proxyFlags,
  }
  return readme
    .replaceAll(
      /(<!-- count:(\w+) -->).*?(<!-- \/count -->)/g,
      (_, open: string, name: string, close: string) => {
        return `${open}${counts[name]}${close}`
      },
    )
    .replaceAll(
      /(<!-- options:(\w+) -->\n)[\s\S]*?(<!-- \/options -->)/g,
      (_, open: string, name: string, close: string) => {
        return `${open}\n${optionsTable(options[name] ?? [])}\n\n${close}`
      },
    )
}

function optionsTable(flags: readonly Flag[]): string {
  const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``)
  const rows = flags.map(({ name, value, env, default: fallback, help, repeatable }) => {
    const flag = `\`--${name}${value === undefined ? '' : ` ${value}`}\`${repeatable ? ', repeatable' : ''}`
    return `| ${flag} | ${help.replaceAll('|', '\\|').replaceAll('*', '\\*')} | ${code(fallback)} | ${code(env)} |`
  })
  return [
    '| option | meaning | default | environment |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
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
