/** Runs the steps of the workflow in examples/, with a mock instead of staging. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultKey, type DefectId } from '../../../src/mock/index.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { installExample } from './installed-example.ts'
import { type Result, run } from './shell.ts'
import { serveMock } from '../../support/serve-mock.ts'

interface Step {
  name?: string
  if?: string
  uses?: string
  run?: string
  env?: Record<string, string>
  with?: Record<string, string | number>
}

interface Workflow {
  on: Record<string, unknown>
  permissions: Record<string, string>
  jobs: Record<
    string,
    { 'runs-on': string; 'timeout-minutes': number; env: Record<string, string>; steps: Step[] }
  >
}

const folder = installExample('github-actions')
const document = parseDocument(readFileSync(join(folder, 'verify-staging.yml'), 'utf8'))
const workflow = document.toJS() as Workflow
const job = workflow.jobs['verify']
const steps = job?.steps ?? []
const verifying = steps.find((step) => step.run?.includes('petstore-kit verify'))

test('is valid YAML, and a workflow', () => {
  expect([...document.errors, ...document.warnings]).toEqual([])
  expect(Object.keys(workflow)).toEqual(['name', 'on', 'permissions', 'concurrency', 'jobs'])
  expect(Object.keys(workflow.jobs)).toEqual(['verify'])
  for (const step of steps)
    expect([step.uses, step.run].filter((one) => one !== undefined)).toHaveLength(1)
  expect(
    steps.flatMap((step) => step.uses ?? []).every((uses) => /^[\w-]+(\/[\w-]+)+@v\d+$/.test(uses)),
  ).toBe(true)
})

test('only the verifying step gets the key, which is a secret', () => {
  const holders = steps.filter((step) => JSON.stringify(step).includes('secrets.'))
  expect(holders).toEqual([verifying])
  expect(JSON.stringify(job?.env)).not.toContain('secrets.')
  expect(verifying?.env).toEqual({ PETSTORE_API_KEY: '${{ secrets.PETSTORE_STAGING_KEY }}' })
})

test('reports are also uploaded after a violation', () => {
  const uploads = steps.filter((step) => step.uses?.includes('upload'))
  expect(uploads).toHaveLength(2)
  for (const { if: condition } of uploads) expect(condition).toContain('!cancelled()')
})

/** Runs the scripts of the workflow except `npm ci`, like a GitHub runner. */
async function runSteps(defects: DefectId[]): Promise<Result & { summary: string }> {
  const mock = await serveMock({ pets: 30, defects })
  const scripts = steps.flatMap((step) => step.run ?? [])
  expect(scripts.filter((script) => !script.startsWith('npx petstore-kit '))).toEqual(['npm ci'])
  const [script = '', ...others] = scripts.filter((one) => one !== 'npm ci')
  expect(others).toEqual([])
  const summary = join(folder, 'summary.md')
  const result = await run(
    folder,
    'bash',
    ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
    {
      STAGING_URL: mock.url,
      PETSTORE_API_KEY: defaultKey,
      GITHUB_ACTIONS: 'true',
      GITHUB_STEP_SUMMARY: summary,
    },
  )
  return { ...result, summary: readFileSync(summary, 'utf8') }
}

function uploaded(): string[] {
  const lists = steps.flatMap((step) => [step.with?.['sarif_file'], step.with?.['path']])
  return [
    ...new Set(
      lists.flatMap((list) => (list === undefined ? [] : String(list).trim().split('\n'))),
    ),
  ]
}

describe('the command line', () => {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')

  beforeEach(() => {
    expect(uploaded().toSorted()).toEqual([
      'reports/contract.json',
      'reports/contract.sarif',
      'reports/junit.xml',
    ])
  })

  test('passes for a conforming target, and writes the files to upload', async () => {
    const { code, stdout, stderr, summary } = await runSteps([])
    expect(stderr).not.toMatch(/^petstore:/m)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^::notice title=petstore verify%3A PASS::/m)
    expect(stdout).not.toContain('::error')
    expect(summary).toMatch(/PASS/)
    expect(uploaded().filter((file) => !existsSync(join(folder, file)))).toEqual([])
    expect(JSON.parse(read('reports/contract.sarif')).runs[0].results).toEqual([])
    expect(read('reports/junit.xml')).toMatch(/<testsuites [^>]*failures="0"/)
  })

  test('fails for a violation, and names the requirement', async () => {
    const { code, stdout, summary } = await runSteps(['reject.category-null-accepted'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^::error title=create\.invalid-values::/m)
    expect(summary).toContain('create.invalid-values')
    const { results } = JSON.parse(read('reports/contract.sarif')).runs[0] as {
      results: { ruleId: string }[]
    }
    expect(results.map(({ ruleId }) => ruleId)).toContain('create.invalid-values')
    expect(read('reports/junit.xml')).toMatch(/<failure/)
    expect(JSON.parse(read('reports/contract.json')).verdict).toBe('violates')
    for (const file of uploaded()) expect(read(file)).not.toContain(defaultKey)
  })
})
