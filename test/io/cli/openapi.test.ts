import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { version } from '../../../src/spec/version.ts'
import document from '../../../src/spec/openapi.json' with { type: 'json' }
import { run } from './command.ts'
import { makeFolder } from '../../support/folder.ts'

test('petstore openapi prints the document, as JSON, YAML and 3.0', async () => {
  const forms = [[], ['--yaml'], ['--openapi', '3.0'], ['--openapi', '3.0', '--yaml']]
  const printed = await Promise.all(forms.map((flags) => run(['openapi', ...flags])))
  const [json = '', yaml = '', old = '', oldYaml = ''] = printed.map(({ stdout }) => stdout)
  expect(JSON.parse(json)).toEqual(document)
  expect(parse(yaml)).toEqual(document)
  expect(parse(oldYaml)).toEqual(JSON.parse(old))
  // Not every reader of YAML knows anchors.
  for (const text of [yaml, oldYaml]) expect(text).not.toMatch(/[&*]a\d/)
  // An example beyond 2^53 stays exact.
  for (const text of [json, yaml, old, oldYaml]) expect(text).toContain('9007199254740993')
})

test('--server sets the base URL of the document', async () => {
  const url = 'https://mock.example.com:8443/api/v1'
  for (const flags of [[], ['--yaml'], ['--openapi', '3.0'], ['--openapi', '3.0', '--yaml']]) {
    const { stdout } = await run(['openapi', ...flags, '--server', url])
    expect(parse(stdout).servers[0]).toMatchObject({ url })
    expect(parse(stdout).servers[0].description).toMatch(/^The server that this document is for/)
  }
  const wrong = await run(['openapi', '--server', 'mock.example.com'])
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toBe('petstore: --server must be a URL, such as http://127.0.0.1:4010/v1\n')
})

test('--output writes a file', async () => {
  const cwd = makeFolder()
  const wrote = await run(['openapi', '--openapi', '3.0', '--output', 'api/old.json'], { cwd })
  expect(wrote).toMatchObject({ code: 0, stdout: '', stderr: 'wrote api/old.json\n' })
  expect(JSON.parse(readFileSync(join(cwd, 'api/old.json'), 'utf8'))).toMatchObject({
    openapi: '3.0.3',
  })
})

const built = new URL('../../../dist/spec/openapi-3.0.json', import.meta.url)
const old: Record<
  'paths' | 'components',
  Record<string, Record<string, { responses: object }>>
> = JSON.parse(readFileSync(built, 'utf8'))

test('3.0 is valid, and has 4XX and 5XX instead of default', async () => {
  const validator = new Validator()
  expect(await validator.validate(old as never)).toMatchObject({ valid: true })
  expect(validator.version).toBe('3.0')
  const responses = Object.values(old.paths).flatMap((path) =>
    ['get', 'post'].flatMap((name) => path[name]?.responses ?? []),
  )
  expect(responses).toHaveLength(3)
  for (const one of responses) {
    expect(Object.keys(one)).toEqual(expect.arrayContaining(['4XX', '5XX']))
    expect(one).not.toHaveProperty('default')
  }
})

test.each([
  ['a type array', { type: ['string', 'null'] }],
  ['const', { const: 'available' }],
  ['examples of a schema', { examples: ['Rex'] }],
  ['$schema', { $schema: 'https://json-schema.org/draft/2020-12/schema' }],
  ['a numeric exclusiveMinimum', { exclusiveMinimum: 0 }],
])('the validator rejects %s in 3.0', async (_, schema) => {
  const { PetStatus: _status, ...schemas } = old.components['schemas'] ?? {}
  const components = { ...old.components, schemas: { ...schemas, PetStatus: schema } }
  const { valid } = await new Validator().validate({ ...old, components })
  expect(valid).toBe(false)
})

test('3.0 has a short description, and the whole text at its tag', () => {
  const { info, tags } = JSON.parse(readFileSync(built, 'utf8'))
  expect(info).not.toHaveProperty('summary')
  expect(info.description).toBe(document.info.summary)
  expect(tags[0].description).toContain(document.info.description)
})

test('3.0 allows additional fields explicitly, because generators forbid them by default', () => {
  const { PetStatus, Pets, ...objects } = old.components.schemas ?? {}
  expect(Object.keys(objects)).toEqual(['NewPet', 'Pet', 'Error'])
  for (const schema of Object.values(objects))
    expect(schema).toMatchObject({ additionalProperties: true })
  for (const schema of [PetStatus, Pets]) expect(schema).not.toHaveProperty('additionalProperties')
})

test('petstore init writes a configuration and a workflow, and overwrites nothing', async () => {
  const cwd = makeFolder()
  const first = await run(['init', 'https://shop.example/v1'], { cwd })
  expect(first).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^wrote petstore\.config\.json\nwrote \.github/),
  })
  const file = join(cwd, 'petstore.config.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    deployments: {
      staging: {
        baseUrl: 'https://shop.example/v1',
        keyEnv: 'PETSTORE_STAGING_KEY',
        readOnly: true,
      },
    },
  })
  const workflow = readFileSync(join(cwd, '.github/workflows/contract.yml'), 'utf8')
  expect(parse(workflow)).toHaveProperty('jobs.verify.steps')
  expect(workflow).toContain(
    `- run: npx --yes petstore-kit@${version} verify staging --wait-until-ready 2m --reporter github`,
  )
  writeFileSync(file, '{}')
  expect((await run(['init'], { cwd })).stderr).toMatch(
    /^petstore\.config\.json already exists and was not changed\n/,
  )
  expect(readFileSync(file, 'utf8')).toBe('{}')
  expect(existsSync(join(cwd, 'node_modules'))).toBe(false)
})

test('petstore init says what is left to do', async () => {
  const [alone, bare] = await Promise.all([
    run(['init'], { cwd: makeFolder() }),
    run(['init', 'https://staging.example.com'], { cwd: makeFolder() }),
  ])
  expect(alone.stderr).toContain('Next: set baseUrl in petstore.config.json, then export PETSTORE_')
  expect(alone.stderr).toMatch(/\nIn CI: store the secret PETSTORE_STAGING_KEY, .*\n$/)
  expect(bare.stderr).toContain(
    'https://staging.example.com has no path; base URLs of the service usually end in /v1\nNext: export',
  )
})
