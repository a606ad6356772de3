/** What a wrong command line is met with: one line that says what is wrong and what to do, and exit code 2. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { tmpdir } from 'node:os'
import { anyFinding, conforming } from '../../unit/reporters/reports.ts'
import { mistakeOf, runProcess } from './command.ts'
import { rows } from './messages.ts'

const folder = mkdtempSync(join(tmpdir(), 'petstore-kit-'))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'folder'))
const staging = { baseUrl: 'https://staging.example.com/v1', keyEnv: 'PETSTORE_STAGING_KEY' }
const files = {
  'half.json': '[1,\n',
  'pets.json': '[]',
  'bad.txt': 'not pem',
  'damaged.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  'empty.txt': '\n',
  'green.json': JSON.stringify(conforming()),
  'foreign.json': JSON.stringify({ ...conforming(), target: 'https://api.example.com/v1', findings: [anyFinding] }),
  'latin.json': Buffer.from('["\xe9"]', 'latin1'),
  'odd.json': JSON.stringify({
    deployments: { odd: { ...staging, keyEnv: 'HOME' } },
  }),
  'twice.json': '{"deployments":{"staging":{},\n "staging":{}}}',
  'petstore.config.json': JSON.stringify({ deployments: { staging } }),
  'report.json': JSON.stringify({ ...conforming(), findings: [anyFinding] }),
}
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
mkdirSync(join(folder, 'runs'))
writeFileSync(join(folder, 'runs/staging.ndjson'), '')

const wordsOf = (line: string): string[] =>
  [...line.replace('URL --key KEY', 'http://127.0.0.1:1/v1 --key k').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, a, b]) => a ?? b ?? '',
  )

test('the page lists wrong command lines', () => expect(rows.length).toBeGreaterThan(170))

test.each(rows)('petstore %s', async (line, message) => {
  const said = await mistakeOf(wordsOf(line), { cwd: folder, terminal: { stdout: true, stderr: false } })
  expect(said.replaceAll(`${folder}/`, '')).toBe(message)
})

test.each([
  ['moc', 'petstore: there is no command "moc"; did you mean mock? See petstore --help.\n'],
  ['toString', 'petstore: there is no command "toString". See petstore --help.\n'],
  ['help verfy', 'petstore: there is no command "verfy"; did you mean verify? See petstore --help.\n'],
  ['mock --port x', 'petstore: --port takes an integer from 0 to 65535, not "x"\n'],
])('petstore %s, as a process', async (line, stderr) => {
  expect(await runProcess(wordsOf(line), { cwd: folder })).toEqual({ code: 2, signal: null, stdout: '', stderr })
})
