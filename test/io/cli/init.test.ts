/** `petstore init`: the workflows that it writes pass as they are, against a mock. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { version } from '../../../src/spec/version.ts'
import { makeFolder } from '../../support/folder.ts'
import { serveMock } from '../../support/serve-mock.ts'
import { defaultKey } from '../../../src/mock/index.ts'
import { run } from './command.ts'

interface Job {
  script?: string[]
  steps?: { run?: string; env?: Record<string, string>; with?: { path?: string } }[]
  artifacts?: { paths: string[]; reports: { junit: string } }
}

test.each([
  ['github', '.github/workflows/contract.yml'],
  ['gitlab', '.gitlab-ci.yml'],
])(
  'the workflow for %s passes as written, and keeps the files that it writes',
  async (ci, file) => {
    const cwd = makeFolder()
    const mock = await serveMock()
    expect(await run(['init', mock.url, '--ci', ci], { cwd })).toMatchObject({ code: 0 })
    const document = parse(readFileSync(join(cwd, file), 'utf8')) as {
      jobs?: { verify: Job }
      contract?: Job
    }
    const { script = [], steps = [], artifacts } = document.jobs?.verify ?? document.contract ?? {}
    const lines = [...script, ...steps.flatMap((step) => step.run ?? [])]
    expect(lines).toHaveLength(1)
    const [program, ...args] = (lines[0] ?? '').split(`petstore-kit@${version} `)
    expect(program).toBe('npx --yes ')
    const { code, stderr } = await run(args.join('').split(' '), {
      cwd,
      env: { PETSTORE_STAGING_KEY: defaultKey },
    })
    expect(code, stderr).toBe(0)
    const kept = [
      ...steps.flatMap((step) => step.with?.path?.trim().split(/\s+/) ?? []),
      ...(artifacts ? [...artifacts.paths, artifacts.reports.junit] : []),
    ]
    expect(kept.toSorted()).toEqual(['report.html', 'report.xml'])
    for (const name of kept) expect(existsSync(join(cwd, name)), name).toBe(true)
    // Nothing but the secret comes from outside.
    expect(readFileSync(join(cwd, file), 'utf8')).toContain('PETSTORE_STAGING_KEY')
  },
)

test('the workflow for GitHub names actions by commit, keeps no credentials, and can be called', async () => {
  const cwd = makeFolder()
  await run(['init'], { cwd })
  const text = readFileSync(join(cwd, '.github/workflows/contract.yml'), 'utf8')
  expect(text.match(/uses: /g)).toEqual(
    text.match(/uses: .*@[0-9a-f]{40} # v[\d.]+\n/g)?.map(() => 'uses: '),
  )
  expect(text).toContain('persist-credentials: false')
  expect(parse(text)).toMatchObject({ on: { workflow_call: { secrets: {} } } })
})

test.each(['github', 'gitlab'])(
  'beside a configuration, the workflow for %s has the variable of its key',
  async (ci) => {
    const mock = await serveMock()
    const staging = { baseUrl: mock.url, keyEnv: 'PETSTORE_OTHER_KEY' }
    const cwd = makeFolder({ 'petstore.config.json': { deployments: { staging } } })
    const { stderr } = await run(['init', mock.url, '--ci', ci], { cwd })
    expect(stderr).toContain('In CI: store the secret PETSTORE_OTHER_KEY')
    const file = ci === 'github' ? '.github/workflows/contract.yml' : '.gitlab-ci.yml'
    const names = readFileSync(join(cwd, file), 'utf8').match(/PETSTORE_\w+/g)
    expect([...new Set(names)]).toEqual([staging.keyEnv])
  },
)

test.each([
  ['https://user:secret-word@example.com/v1', 'must not contain a user name or a password'],
  ['https://example.com/v1?key=secret-word', 'must not contain ? or #'],
  ['ftp://example.com/v1', 'must begin with http:// or https://'],
  ['secret-word@example', 'must be absolute'],
])('%s is no base URL, of which no file is written', async (url, message) => {
  const cwd = makeFolder()
  const { code, stderr } = await run(['init', url], { cwd })
  expect([code, stderr]).toEqual([2, expect.stringContaining(`petstore: the base URL ${message}`)])
  expect(readdirSync(cwd)).toEqual([])
})

test('another system is a mistake', async () => {
  const { code, stderr } = await run(['init', '--ci', 'jenkins'], { cwd: makeFolder() })
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--ci.*github.*gitlab/)])
})

test('beside a configuration of another address, says which one the workflow verifies', async () => {
  const staging = { baseUrl: 'https://old.example.com/v1', keyEnv: 'PETSTORE_OLD_KEY' }
  const cwd = makeFolder({ 'petstore.config.json': { deployments: { staging } } })
  const { code, stderr } = await run(['init', 'https://new.example.com/v1'], { cwd })
  expect(code).toBe(0)
  expect(stderr).toContain(
    'The workflow verifies https://old.example.com/v1; for https://new.example.com/v1, set the baseUrl of staging in petstore.config.json\n',
  )
  expect(stderr).toContain('export PETSTORE_OLD_KEY=')
  expect((await run(['init', staging.baseUrl], { cwd })).stderr).not.toContain(
    'The workflow verifies',
  )
  const other = makeFolder({ 'petstore.config.json': { deployments: { production: staging } } })
  expect((await run(['init', staging.baseUrl], { cwd: other })).stderr).toContain(
    'The workflow verifies staging, which petstore.config.json does not name',
  )
})
