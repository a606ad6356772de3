import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectFiles } from './files.ts'
import { installManagers, type Manager } from './managers.ts'
import { createProject, pack, type Packed } from './project.ts'
import { run } from './run.ts'
import { compilers, inspect, steps } from './steps.ts'

const root = join(import.meta.dirname, '../..')
const usage = `Usage: npm run test:install [-- --only NAME] [-- --keep]

Packs petstore-kit, installs it into empty projects with npm, pnpm and yarn, and uses it there.

  --only NAME  only package managers whose name begins so, such as npm or yarn
  --keep       leave the projects where they are
`

/** Packs, installs, uses. Returns the exit code. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { only: { type: 'string', default: '' }, keep: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'petstore-kit-install-'))
  const failures: string[] = []
  try {
    mkdirSync(join(folder, 'managers'))
    const managers = await installManagers(join(folder, 'managers'))
    const packed = await pack(root, join(folder, 'packed'))
    const chosen = managers.filter(({ name }) => name.startsWith(values.only))
    if (chosen.some(({ name }) => name === 'npm')) failures.push(...(await tryAlone(folder, packed, managers)))
    for (const [index, manager] of chosen.entries()) {
      failures.push(...(await tryProject(join(folder, `project-${index}`), manager, packed)))
    }
  } finally {
    if (values.keep) console.log(`\nThe projects are in ${folder}`)
    else rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  console.log(failures.length === 0 ? '\nAll is well.' : `\n${failures.length} failed: ${failures.join('; ')}`)
  return failures.length === 0 ? 0 : 1
}

/** Runs one step, prints how it went, and returns its name when it failed. */
async function attempt(name: string, step: () => Promise<void>): Promise<string[]> {
  const startedAt = performance.now()
  try {
    await step()
    console.log(`  ok      ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
    return []
  } catch (error) {
    console.log(`  FAILED  ${name}\n${String(error).replaceAll(/^/gm, '          ')}`)
    return [name]
  }
}

/** All steps with one package manager. */
async function tryProject(folder: string, manager: Manager, packed: Packed): Promise<string[]> {
  console.log(`\n${manager.name}`)
  const { devDependencies: pinned } = packed
  const pick = (...names: string[]) => Object.fromEntries(names.map((name) => [name, pinned[name] ?? '*']))
  const wanted = {
    ...pick('msw', 'openapi-fetch', 'vite', 'vitest', '@types/node'),
    undici: packed.dependencies['undici'] ?? '*',
    ...(manager.zipped && { '@msw/data': packed.dependencies['@msw/data'] ?? '*' }),
    // In archives, yarn teaches the compiler where packages are, if it has its own name.
    ...(manager.zipped ? { typescript: compilers['typescript-5'].replace('npm:typescript@', '') } : compilers),
  }
  const installed = await attempt('install', async () => {
    await createProject(folder, manager, packed, wanted, projectFiles(packed.jsonEntries, manager.zipped))
  })
  if (installed.length > 0) return installed.map((name) => `${manager.name}: ${name}`)
  const failures: string[] = []
  for (const { name, run, needs } of steps) {
    if (needs === 'files' && manager.zipped) console.log(`  -       ${name}: not with Plug'n'Play`)
    else failures.push(...(await attempt(name, () => run({ folder, manager, packed }))))
  }
  return failures.map((name) => `${manager.name}: ${name}`)
}

/** petstore-kit and nothing else, as `npx petstore-kit` installs it. */
async function tryAlone(folder: string, packed: Packed, managers: readonly Manager[]): Promise<string[]> {
  const [npm] = managers
  if (npm === undefined) throw new Error('npm is not there')
  console.log('\nnpm, petstore-kit alone')
  const cwd = join(folder, 'alone')
  const evaluate = (text: string) => run(npm.node('--input-type=module', '--eval', text), { cwd })
  return [
    ...(await attempt('install', async () => void (await createProject(cwd, npm, packed, {}, {})))),
    ...(await attempt('nothing runs at installation, and at most 25 MB', async () => {
      const { withScripts, bytes, packages } = inspect(cwd)
      console.log(`          ${packages} packages, ${(bytes / 1_000_000).toFixed(2)} MB`)
      if (withScripts.length > 0) throw new Error(`These have scripts: ${withScripts.join(', ')}`)
      if (bytes > 25_000_000) throw new Error('That is more than 25 MB.')
    })),
    ...(await attempt('each entry that needs no peer', async () => {
      const entries = ['', '/mock', '/contract', '/fetch', '/undici', '/fixtures', '/types', '/json']
      await evaluate(entries.map((entry) => `await import('petstore-kit${entry}')`).join('\n'))
    })),
    ...(await attempt('petstore-kit/msw names what is missing', async () => {
      await evaluate(`
        const error = await import('petstore-kit/msw').then(() => new Error('it was imported'), (error) => error)
        if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes("'msw'")) throw error
      `)
    })),
    ...(await attempt('npx petstore-kit', async () => {
      await run(npm.exec('petstore-kit', 'exec', '--verify', '--', process.execPath, '--version'), { cwd })
    })),
  ].map((name) => `alone: ${name}`)
}
