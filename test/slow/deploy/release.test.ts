/** Runs the steps of the release workflow and of the action in .github/. `npm run test:deploy` lints them. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

import { defaultKey, type DefectId } from '../../../src/mock/index.ts'
import { version } from '../../../src/spec/version.ts'
import { run } from '../examples/shell.ts'
import { makeFolder } from '../../support/folder.ts'
import { serveMock } from '../../support/serve-mock.ts'

interface Step {
  name?: string
  id?: string
  uses?: string
  run?: string
  env?: Record<string, string>
}
interface Job {
  permissions?: Record<string, string>
  needs?: string | string[]
  steps: Step[]
}

const root = join(import.meta.dirname, '../../..')
const read = (file: string): unknown => parse(readFileSync(join(root, file), 'utf8'))
const action = read('.github/actions/verify/action.yml') as {
  inputs: Record<string, { default?: string }>
  runs: { steps: Step[] }
}
const release = read('.github/workflows/release.yml') as {
  permissions: object
  jobs: Record<string, Job>
}

/** Runs the script of the action like a GitHub runner, with the built command instead of npx. */
async function verify(inputs: Record<string, string>) {
  const folder = makeFolder()
  const step = action.runs.steps.find(({ id }) => id === 'verify')
  const npx = join(folder, 'npx')
  writeFileSync(
    npx,
    `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${join(root, 'dist/bin/petstore.js')}" "$@"\n`,
  )
  chmodSync(npx, 0o755)
  const env = Object.fromEntries(
    Object.entries(step?.env ?? {}).map(([name, text]) => {
      const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text)?.[1] ?? ''
      return [name, inputs[input] ?? action.inputs[input]?.default ?? '']
    }),
  )
  const output = join(folder, 'output')
  const script = join(folder, 'step.sh')
  writeFileSync(script, step?.run ?? '')
  const { code, stdout } = await run(
    folder,
    'bash',
    ['--noprofile', '--norc', '-eo', 'pipefail', script],
    {
      ...env,
      GITHUB_OUTPUT: output,
      PATH: `${folder}:${process.env['PATH']}`,
    },
  )
  return { code, stdout, folder, outputs: existsSync(output) ? readFileSync(output, 'utf8') : '' }
}

test.each<[DefectId[], number]>([
  [[], 0],
  [['list.limit-ignored'], 1],
])(
  'the action verifies, and writes its report and outputs: %j exits with %i',
  async (defects, code) => {
    const found = await verify({
      url: (await serveMock({ pets: 30, defects })).url,
      key: defaultKey,
      options: '--settle 0 --max-writes 20',
    })
    expect(found.code, found.stdout).toBe(code)
    expect(found.outputs).toBe(`report=petstore-report.html\nexit-code=${code}\n`)
    expect(readFileSync(join(found.folder, 'petstore-report.html'), 'utf8')).toMatch(
      /^<!doctype html>/i,
    )
    expect(found.stdout + found.outputs).not.toContain(defaultKey)
  },
)

test('an input of the action is never inserted into its script', async () => {
  const { code, folder } = await verify({
    url: '"; touch taken; "',
    options: '$(touch taken)',
    key: '`touch taken`',
  })
  expect(code).toBe(2)
  expect(existsSync(join(folder, 'taken'))).toBe(false)
  expect(action.runs.steps.every(({ run: script = '' }) => !script.includes('${{'))).toBe(true)
})

test('a release requires the tests, and only jobs that run no code of dependencies can publish', () => {
  const { test: tests, pack, executable, ...publishing } = release.jobs
  expect(release.permissions).toEqual({ contents: 'read' })
  expect(tests?.steps.some((step) => step.run === '.ci/run')).toBe(true)
  expect([pack?.needs, pack?.permissions]).toEqual(['test', undefined])
  expect([executable?.needs, executable?.permissions]).toEqual(['test', undefined])
  for (const job of [pack, executable])
    expect(job?.steps.map((step) => step.run)).toContain('npm ci --ignore-scripts')
  expect(publishing['package']?.needs).toContain('executable')
  for (const { needs, permissions, steps } of Object.values(publishing)) {
    expect([needs].flat()).toContain('pack')
    expect(permissions?.['id-token']).toBe('write')
    expect(steps.flatMap((step) => step.run ?? []).join('\n')).not.toMatch(
      /npm (?:ci|install|pack|run)|npx/,
    )
  }
  expect(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')).not.toContain(
    'secrets.',
  )
})

test('the site is published by a job that runs no code of dependencies', () => {
  const site = read('.github/workflows/site.yml') as typeof release
  expect(site.permissions).toEqual({ contents: 'read' })
  const { build, publish } = site.jobs
  expect([build?.permissions, publish?.permissions]).toEqual([
    undefined,
    { pages: 'write', 'id-token': 'write' },
  ])
  expect(publish?.steps.flatMap((step) => step.run ?? [])).toEqual([])
})

test.each(['workflows/release.yml', 'workflows/site.yml', 'actions/verify/action.yml'])(
  '%s names each action by its commit and version, and inserts nothing into scripts',
  (file) => {
    const text = readFileSync(join(root, '.github', file), 'utf8')
    const used = [...text.matchAll(/uses: (.+)/g)].map(([, action = '']) => action)
    expect(used).not.toEqual([])
    for (const each of used) expect(each).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    const { jobs = {}, runs } = parse(text) as { jobs?: Record<string, Job>; runs?: Job }
    const steps = [...Object.values(jobs), ...(runs === undefined ? [] : [runs])].flatMap(
      (job) => job.steps,
    )
    for (const step of steps) {
      expect([step.uses, step.run].filter((one) => one !== undefined)).toHaveLength(1)
      expect(step.run ?? '').not.toContain('${{')
    }
  },
)

test('a tag that differs from the version fails the release', () => {
  const script = release.jobs['test']?.steps.find(({ name }) => name?.includes('tag'))?.run ?? ''
  const statusOf = (TAG: string) =>
    spawnSync('bash', ['-ec', script], { cwd: root, env: { ...process.env, TAG } }).status
  expect([statusOf(`v${version}`), statusOf('v0.0.1')]).toEqual([0, 1])
})
