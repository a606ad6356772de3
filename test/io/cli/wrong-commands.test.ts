/** A wrong command line gives one line with the mistake and its fix, and exit code 2. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from '../../support/folder.ts'
import { anyFinding, conforming } from '../../unit/reporters/reports.ts'
import { mistakeOf, runProcess } from './command.ts'
import { rows } from './wrong-commands.ts'
import { byLevel, sample } from '../../support/level.ts'

const staging = { baseUrl: 'https://staging.example.com/v1', keyEnv: 'PETSTORE_STAGING_KEY' }
const files = {
  'runs/staging.ndjson': '',
  'half.json': '[1,\n',
  'pets.json': '[]',
  'bad.txt': 'not pem',
  'encrypted.pem':
    '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n',
  'damaged.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  'empty.txt': '\n',
  'green.json': conforming(),
  'foreign.json': { ...conforming(), target: 'https://api.example.com/v1', findings: [anyFinding] },
  'latin.json': Buffer.from('["\xe9"]', 'latin1'),
  'odd.json': { deployments: { odd: { ...staging, keyEnv: 'HOME' } } },
  'twice.json': '{"deployments":{"staging":{},\n "staging":{}}}',
  'petstore.config.json': { deployments: { staging } },
  'report.json': { ...conforming(), findings: [anyFinding] },
}
const folder = makeFolder(files, afterAll)
mkdirSync(join(folder, 'folder'))

const wordsOf = (line: string): string[] =>
  [
    ...line.replace(/ URL(?= |$)/, ' http://127.0.0.1:1/v1 --key k').matchAll(/'([^']*)'|(\S+)/g),
  ].map(([, a, b]) => a ?? b ?? '')

test('the page lists wrong command lines', () => expect(rows.length).toBeGreaterThan(170))

// Each takes little, but for a file without end.
const isLong = ([line]: (typeof rows)[number]): boolean => line.includes('/dev/zero')
const chosen = byLevel({ usual: rows.filter((row) => !isLong(row)), slow: rows, all: rows })
test.each(chosen)('petstore %s', async (line, message) => {
  const printed = await mistakeOf(wordsOf(line), {
    cwd: folder,
    terminal: { stdout: true, stderr: false },
  })
  expect(printed.replaceAll(`${folder}/`, '')).toBe(message)
})

const processes: [string, string][] = [
  ['moc', 'petstore: there is no command "moc"; did you mean mock? See petstore --help.\n'],
  ['serve', 'petstore: there is no command "serve"; did you mean mock? See petstore --help.\n'],
  ['toString', 'petstore: there is no command "toString". See petstore --help.\n'],
  [
    'help verfy',
    'petstore: there is no command "verfy"; did you mean verify? See petstore --help.\n',
  ],
  ['mock pets', 'petstore mock takes options only, not "pets"\n'],
  [
    'verify http://127.0.0.1:1/v1 --key-env constructor',
    'petstore: the API key is missing: set the variable given with --key-env\n',
  ],
  [
    "verify URL --header-env 'X-Team: __proto__'",
    'petstore: --header-env X-Team names a variable that is not set\n',
  ],
  ['mock --port x', 'petstore: --port takes an integer from 0 to 65535, not "x"\n'],
]
test.each(sample(processes, { usual: 3, slow: 1, all: 1 }))(
  'petstore %s, as a process',
  async (line, stderr) => {
    expect(await runProcess(wordsOf(line), { cwd: folder })).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr,
    })
  },
)
