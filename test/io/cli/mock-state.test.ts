import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaultKey, sandboxKey } from '../../../src/mock/index.ts'
import { run, runProcess, start, startMockCommand } from './command.ts'
import { makeFolder } from '../../support/folder.ts'

const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }
const read = async (url: string, key: string = defaultKey) =>
  (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).text()
const create = (url: string, name: string) =>
  fetch(`${url}/pets`, { method: 'POST', headers, body: JSON.stringify({ name, categoryId: 1 }) })

/** Two pets at the limits of int64, one with an unusual name. */
const pets = `[
{"id":9223372036854775807,"name":"Zoë","categoryId":9007199254740993,"status":"sold"},
{"id":4,"name":"\\u0000\\"\\ud800","categoryId":-9223372036854775808}
]
`

function writePets(text = pets, name = 'pets.json'): { folder: string; file: string } {
  const folder = makeFolder()
  const file = join(folder, name)
  writeFileSync(file, text)
  return { folder, file }
}

describe('--data', () => {
  test('starts with the pets of a file, with exact integers', async () => {
    const { file } = writePets()
    const { url } = await startMockCommand('--data', file, '--behavior', 'list.order=oldest-first')
    expect(await read(`${url}/pets`)).toBe(pets.replaceAll('\n', ''))
    expect(await read(`${url}/pets/9223372036854775807`)).toContain('"categoryId":9007199254740993')
  })

  test('the greeting shows the number of pets and the file', async () => {
    const { folder } = writePets()
    const { says } = start(['mock', '--port', '0', '--data', 'pets.json'], { cwd: folder })
    expect(await says(/ready, .*/)).toBe('ready, with 2 pets.')
    await says(/ Data {6}--data pets\.json\n/)
  })

  test('accepts a byte order mark', async () => {
    const { file } = writePets(`\uFEFF${pets}`)
    const { url } = await startMockCommand('--data', file)
    expect(JSON.parse(await read(`${url}/pets`))).toHaveLength(2)
  })

  test('on the command line overrides --pets in the environment, and vice versa', async () => {
    const { file } = writePets()
    const one = start(['mock', '--port', '0', '--data', file], { env: { PETSTORE_MOCK_PETS: '7' } })
    expect(await one.says(/with \d+ pets/)).toBe('with 2 pets')
    const other = start(['mock', '--port', '0', '--pets', '7'], {
      env: { PETSTORE_MOCK_DATA: file },
    })
    expect(await other.says(/with \d+ pets/)).toBe('with 7 pets')
  })

  test('reports every mistake with line, column and JSON pointer, together with other mistakes', async () => {
    const { folder } = writePets(
      [
        '[',
        '  { "id": 1, "name": "Rex", "categoryId": 9223372036854775808 },',
        '  { "id": 2, "name": "Rex", "categoryId": 2 },',
        '  { "id": 2, "categoryId": 2,',
        '    "status": "gone" },',
        '  4, { "id": 2, "name": "Rex", "categoryId": 2 }',
        ']',
      ].join('\n'),
    )
    const args = ['mock', '--data', 'pets.json', '--defect', 'x']
    const { code, stdout, stderr } = await run(args, { cwd: folder })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.trimEnd().split('\n')).toEqual([
      'petstore: pets.json:2:43: /0/categoryId: categoryId must be an integer within int64.',
      'petstore: pets.json:4:3: /2/name: name is required.',
      'petstore: pets.json:5:15: /2/status: status must be one of available, pending, sold.',
      'petstore: pets.json:6:3: /3: The pet must be a Pet object.',
      'petstore: pets.json:6:14: /4/id: The id 2 is also the id of pet /1.',
      expect.stringMatching(/^petstore: --defect: there is no defect "x"/),
    ])
  })
})

test.each(['null', 'false', '0', '""', '{}', '1e400'])(
  'pets and rules that are %s, and no array, are a mistake',
  async (text) => {
    const cwd = makeFolder({ 'x.json': text })
    for (const [flag, message] of [
      ['--data', /^petstore: x\.json:1:1: .*must be /],
      ['--rules', /^petstore: x\.json:1:1: the rules must be a JSON array/],
    ] as const) {
      const args = ['exec', flag, 'x.json', '--', process.execPath, '--version']
      const { code, stderr } = await run(args, { cwd })
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    }
  },
)

describe('--pets-from', () => {
  test('a module that never ends to load is no success', async () => {
    const cwd = makeFolder({ 'pets.mjs': 'await new Promise(() => {})' })
    const ended = await runProcess(['mock', '--pets-from', 'pets.mjs'], { cwd })
    expect(ended).toMatchObject({ code: 3, stdout: '' })
    expect(ended.stderr).toMatch(/^petstore: the command ended early: .* --pets-from\n$/)
  })

  const make = (text: string) => writePets(text, 'pets.mjs')
  const haustiere = 'export default (n) => ({ name: `Haustier ${n}`, categoryId: 2n ** 53n + 1n })'

  test('starts with the pets that a module makes, also in sandboxes and after a reset', async () => {
    const { file } = make(haustiere)
    const { url } = await startMockCommand('--pets-from', file, '--pets', '2')
    const initial =
      '[{"id":2,"name":"Haustier 2","categoryId":9007199254740993},{"id":1,"name":"Haustier 1","categoryId":9007199254740993}]'
    expect(await read(`${url}/pets`)).toBe(initial)
    expect(await read(`${url}/pets`, sandboxKey('team-a'))).toBe(initial)
    await create(url, 'Rex')
    await fetch(new URL('/_petstore/reset', url), { method: 'POST' })
    expect(await read(`${url}/pets`)).toBe(initial)
  })

  test('keeps the state of the same pets only', async () => {
    const { folder, file } = make(haustiere)
    const args = ['--pets-from', file, '--pets', '2', '--state', join(folder, 'state')]
    const first = await startMockCommand(...args)
    await create(first.url, 'Rex')
    first.interrupt()
    await first.ended
    const second = await startMockCommand(...args)
    expect(await read(`${second.url}/pets`)).toContain('"name":"Rex"')
    second.interrupt()
    await second.ended
    const others = make(haustiere.replace('Haustier', 'Pet')).file
    const { code, stderr } = await run(['mock', ...args.with(1, others)])
    expect(code).toBe(2)
    expect(stderr).toContain('was created with other pets of --data or --pets-from')
  })

  test.each([
    [
      'export const pets = []',
      'must export a function: export default (n) => ({ name: `Pet ${n}`, categoryId: 1 })',
    ],
    ['throw null', 'cannot be loaded: null'],
    [
      'export default (n) => (n === 7 ? { name: 7, categoryId: 1 } : { name: "a", categoryId: 1 })',
      'generate(7)/name: name must be a string',
    ],
  ])('the module %o is rejected', async (text, message) => {
    const { folder } = make(text)
    const { code, stdout, stderr } = await run(['mock', '--pets-from', 'pets.mjs'], { cwd: folder })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^petstore: pets\.mjs:? [^\n]*\n$/)
    expect(stderr).toContain(message)
  })

  test('a module that cannot be parsed is rejected by the built command', async () => {
    const { folder } = make('export default (')
    const { code, stderr } = await runProcess(['mock', '--pets-from', 'pets.mjs'], { cwd: folder })
    expect(code).toBe(2)
    expect(stderr).toBe('petstore: pets.mjs cannot be loaded: Unexpected end of input\n')
  })

  test('is rejected without a file, and with another source of pets', async () => {
    const lacking = await run(['mock', '--pets-from', '/nowhere/pets.mjs'])
    expect(lacking.stderr).toBe(
      'petstore: the module of the pets /nowhere/pets.mjs does not exist\n',
    )
    for (const [flag, value] of [
      ['--seed', '2'],
      ['--data', 'pets.json'],
    ] as const) {
      const { code, stderr } = await run(['mock', '--pets-from', 'pets.mjs', flag, value])
      expect(code).toBe(2)
      expect(stderr).toBe(
        `petstore: --pets-from and ${flag} cannot be combined: the pets come from one place\n`,
      )
    }
  })
})

describe('--watch', () => {
  test('reloads the pets when their file changes, and keeps them when it has mistakes', async () => {
    const { file } = writePets()
    const { url, says } = await startMockCommand('--data', file, '--watch')
    writeFileSync(file, '[{"id":7,"name":"Rex","categoryId":1}]')
    await says(/Read 1 pet of .*pets\.json again\.\n/, 'stderr')
    expect(await read(`${url}/pets`)).toBe('[{"id":7,"name":"Rex","categoryId":1}]')
    writeFileSync(`${file}.new`, '[{"id":8,}]')
    renameSync(`${file}.new`, file)
    await says(/:1:10: the pets file is not JSON: .*; the pets were not changed\n/, 'stderr')
    expect(await read(`${url}/pets`)).toContain('"id":7')
  })

  test('shows the file of now in new sandboxes, and after a reset in all others', async () => {
    const { file } = writePets()
    const { url, says } = await startMockCommand('--data', file, '--watch')
    const readAs = (name: string) => read(`${url}/pets`, sandboxKey(name))
    const reset = async (path: string): Promise<number> =>
      (await fetch(new URL(`/_petstore${path}/reset`, url), { method: 'POST' })).status
    const before = await readAs('old')
    writeFileSync(file, '[{"id":7,"name":"Rex","categoryId":1}]')
    await says(/Read 1 pet of .*pets\.json again\.\n/, 'stderr')
    expect(await readAs('old')).toBe(before)
    expect(await readAs('new')).toBe('[{"id":7,"name":"Rex","categoryId":1}]')
    expect([await reset(''), await reset('/sandboxes/old')]).toEqual([204, 204])
    for (const pets of [await read(`${url}/pets`), await readAs('old')])
      expect(pets).toBe('[{"id":7,"name":"Rex","categoryId":1}]')
  })

  test('reports a mistake with line and column, as at the start', async () => {
    const { file } = writePets()
    const { says } = await startMockCommand('--data', file, '--watch')
    writeFileSync(
      file,
      '[{"id":7,"name":"Rex","categoryId":1},\n {"id":7,"name":"Tom","categoryId":"1"},\n {"id":7,"name":"Tom","categoryId":1}]',
    )
    await says(/pets\.json:2:36: \/1\/categoryId: categoryId must be an integer/, 'stderr')
    await says(
      /pets\.json:3:8: \/2\/id: The id 7 is also the id of pet \/0; the pets were not changed\n/,
      'stderr',
    )
  })

  test.skipIf(process.platform === 'win32')(
    'follows the link of a mounted ConfigMap, and the file behind it',
    async () => {
      const { folder, file } = writePets()
      const place = (id: number): void => {
        mkdirSync(join(folder, `${id}`))
        writeFileSync(join(folder, `${id}/pets.json`), `[{"id":${id},"name":"Rex","categoryId":1}]`)
        symlinkSync(`${id}`, join(folder, 'new'))
        renameSync(join(folder, 'new'), join(folder, '..data'))
      }
      place(1)
      symlinkSync('..data/pets.json', `${file}.link`)
      const { url, says } = await startMockCommand('--data', `${file}.link`, '--watch')
      place(2)
      await says(/Read 1 pet of .*pets\.json\.link again\.\n/, 'stderr')
      expect(await read(`${url}/pets`)).toContain('"id":2')
      writeFileSync(join(folder, '2/pets.json'), '[{"id":30,"name":"Rex","categoryId":1}]')
      await says(/again\.\n[^]*again\.\n/, 'stderr')
      expect(await read(`${url}/pets`)).toContain('"id":30')
      rmSync(join(folder, '2/pets.json'))
      await says(/does not exist; the pets were not changed\n/, 'stderr')
      writeFileSync(join(folder, '2/pets.json'), '[{"id":400,"name":"Rex","categoryId":1}]')
      await says(/not changed\n[^]*again\.\n/, 'stderr')
      expect(await read(`${url}/pets`)).toContain('"id":400')
    },
  )
})

describe('--save', () => {
  test('writes the pets at the end, in the format of --data', async () => {
    const { folder, file } = writePets()
    const saved = join(folder, 'saved.json')
    const first = await startMockCommand('--data', file, '--save', saved)
    expect((await create(first.url, 'Rex')).status).toBe(201)
    expect(readdirSync(folder)).toEqual(['pets.json'])
    first.interrupt()
    expect(await first.ended).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(folder).sort()).toEqual(['pets.json', 'saved.json'])
    const text = readFileSync(saved, 'utf8')
    expect(text).toBe(
      pets.replace('\n]', ',\n{"id":5,"name":"Rex","categoryId":1,"status":"available"}\n]'),
    )

    const second = await startMockCommand(
      '--data',
      saved,
      '--save',
      saved,
      '--behavior',
      'list.order=oldest-first',
    )
    const wanted = await read(`${second.url}/pets`)
    second.interrupt()
    await second.ended
    expect(readFileSync(saved, 'utf8')).toBe(text)
    expect(wanted).toBe(text.replaceAll('\n', ''))
  })

  test('the control API saves while the mock runs, also with concurrent requests', async () => {
    const folder = makeFolder()
    const { url } = await startMockCommand('--pets', '0', '--save', join(folder, 'pets.json'))
    await create(url, 'Rex')
    const control = url.replace(/v1$/, '_petstore')
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => fetch(`${control}/save`, { method: 'POST' })),
    )
    for (const reply of replies)
      expect(await reply.json()).toEqual({ file: join(folder, 'pets.json') })
    expect(readFileSync(join(folder, 'pets.json'), 'utf8')).toMatch(
      /^\[\n\{"id":1,"name":"Rex".*\}\n\]\n$/,
    )
    expect(readdirSync(folder)).toEqual(['pets.json'])
  })

  test('writes no pets as an empty array, and many pets completely', async () => {
    const file = join(makeFolder(), 'pets.json')
    for (const count of [0, 25_001]) {
      const { interrupt, ended } = await startMockCommand('--pets', String(count), '--save', file)
      interrupt()
      await ended
      expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(count)
    }
  })

  test('keeps the mode of the file, and a link to it', async () => {
    const { folder, file } = writePets()
    chmodSync(file, 0o640)
    const link = join(folder, 'link.json')
    symlinkSync(file, link)
    const { interrupt, ended } = await startMockCommand('--pets', '1', '--save', link)
    interrupt()
    await ended
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(1)
  })

  test('names a file on stderr before it is overwritten', async () => {
    const { folder } = writePets()
    const { interrupt, says, ended } = start(['mock', '--port', '0', '--save', 'pets.json'], {
      cwd: folder,
    })
    expect(await says(/Data .*/)).toMatch(/^Data {6}--save pets\.json$/)
    await says(/Ctrl-C/)
    interrupt()
    expect((await ended).stderr).toBe(
      'pets.json exists and will be overwritten; --data pets.json starts from it.\n',
    )
  })

  test('reports on stderr that the pets cannot be saved, and exits with 4', async () => {
    const folder = join(makeFolder(), 'state')
    mkdirSync(folder)
    const { url, interrupt, ended } = await startMockCommand('--save', join(folder, 'pets.json'))
    rmSync(folder, { recursive: true })
    const reply = await fetch(url.replace(/v1$/, '_petstore/save'), { method: 'POST' })
    expect(reply.status).toBe(500)
    expect(await reply.text()).toContain('could not be written')
    interrupt()
    const { code, stderr } = await ended
    expect(code).toBe(4)
    expect(stderr).toMatch(/^petstore: .*pets\.json could not be written: there is no folder .*\n$/)
  })

  test('writes no file if the mock cannot start', async () => {
    const folder = makeFolder()
    await run(['mock', '--save', join(folder, 'pets.json'), '--defect', 'x'])
    expect(readdirSync(folder)).toEqual([])
  })
})
