import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { mockFlags } from '../../src/cli/mock-flags.ts'
import { verifyFlags } from '../../src/cli/verify-flags.ts'
import { toText, verify } from '../../src/contract/index.ts'
import { defaultKey, deviations, startMock } from '../../src/mock/index.ts'
import type { StartOptions } from '../../src/mock/index.ts'
import type { Flag } from '../../src/options.ts'
import { lawfulTwins } from '../twins/catalogue.ts'

const root = join(import.meta.dirname, '../..')

/** The README with everything in it that can be counted, listed or run made anew. */
export async function withReality(readme: string): Promise<string> {
  const conforming = await runOnce({})
  const broken = await runOnce({ deviations: ['list.limit-ignored'] })
  const counts: Record<string, string> = {
    deviations: String(deviations.length),
    twins: String(lawfulTwins.length),
    requests: String(Math.round(conforming.requests / 10) * 10),
    writes: String(conforming.writes),
    installed: String(installedMegabytes()),
  }
  const options: Record<string, readonly Flag[]> = { mock: mockFlags, verify: verifyFlags }
  return readme
    .replaceAll(/(<!-- count:(\w+) -->).*?(<!-- \/count -->)/g, (_, open: string, name: string, close: string) => {
      return `${open}${counts[name]}${close}`
    })
    .replaceAll(
      /(<!-- options:(\w+) -->\n)[\s\S]*?(<!-- \/options -->)/g,
      (_, open: string, name: string, close: string) => {
        return `${open}\n${optionsTable(options[name] ?? [])}\n\n${close}`
      },
    )
    .replace(block('curl -H'), `$1${conforming.firstCall}$2`)
    .replace(block('PETSTORE_API_KEY='), `$1${conforming.text}$2`)
    .replace(/(exits with 1 and says:\n\n```console\n)[\s\S]*?(\n```)/, (_, open: string, close: string) => {
      return `${open}${firstFinding(broken.text)}${close}`
    })
}

/** What a console block prints behind a command that begins so. */
function block(command: string): RegExp {
  return new RegExp(`(\`\`\`console\\n\\$ ${command}[^\\n]*\\n)[\\s\\S]*?(\\n\`\`\`)`)
}

async function runOnce(options: StartOptions) {
  const mock = await startMock(options)
  try {
    const headers = { authorization: `Bearer ${defaultKey}` }
    const firstCall = await (await fetch(`${mock.url}/pets?limit=3`, { headers })).text()
    const report = await verify({ baseUrl: mock.url, apiKey: defaultKey, settleMs: 300, runId: 'Bkqwzt' })
    const here = new RegExp(mock.url.replaceAll('.', '\\.'), 'g')
    const text = toText(report)
      .replace(here, 'http://127.0.0.1:4010/v1')
      .replace(/[\d.]+ s\n/, '0.2 s\n')
      .trimEnd()
    return { ...report.counts, text, firstCall }
  } finally {
    await mock.close()
  }
}

/** The first finding of a report. */
function firstFinding(text: string): string {
  const start = text.indexOf('Violated\n')
  return `${text.slice(start, text.indexOf('\n  2. ', start)).trimEnd()}\n  ...`
}

function optionsTable(flags: readonly Flag[]): string {
  const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``)
  const rows = flags.map(({ name, value, env, default: fallback, help, repeatable }) => {
    const flag = `\`--${name}${value === undefined ? '' : ` ${value}`}\`${repeatable ? ', repeatable' : ''}`
    return `| ${flag} | ${help.replaceAll('|', '\\|').replaceAll('*', '\\*')} | ${code(fallback)} | ${code(env)} |`
  })
  return ['| option | meaning | default | environment |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** The size of what `npm install petstore-kit` puts on disk, without the kit's own files, in MB. */
function installedMegabytes(): number {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; peer?: boolean; devOptional?: boolean; optional?: boolean }>
  }
  const folders = Object.entries(lock.packages)
    .filter(([path, { dev, peer, devOptional, optional }]) => path !== '' && !dev && !peer && !devOptional && !optional)
    .map(([path]) => join(root, path))
  return Math.round(folders.reduce((sum, folder) => sum + sizeOf(folder), 0) / 1_000_000)
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
