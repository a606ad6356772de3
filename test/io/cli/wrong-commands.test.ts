/** What a wrong command line is met with: one line that says what is wrong and what to do, and exit code 2. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { tmpdir } from 'node:os'
import { anyFinding, conforming } from '../../unit/reporters/reports.ts'
import { mistakeOf, runProcess } from './command.ts'

const folder = mkdtempSync(join(tmpdir(), 'petstore-kit-'))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'folder'))
const staging = { baseUrl: 'https://staging.example.com/v1', keyEnv: 'PETSTORE_STAGING_KEY' }
const files = {
  'half.json': '[1,\n',
  'pets.json': '[]',
  'bad.txt': 'not pem',
  'petstore.config.json': JSON.stringify({ deployments: { staging } }),
  'report.json': JSON.stringify({ ...conforming(), findings: [anyFinding] }),
}
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)

/** Each command line, and what stderr says. RUN is a URL and a key. */
const rows: [line: string, message: string][] = [
  ['compare staging', 'petstore compare needs two deployments or reports: petstore compare staging production'],
  ['compare a.json b.json', 'the report a.json does not exist'],
  [
    'compare pets.json report.json',
    'pets.json is not a report of petstore verify --reporter json=FILE: it must be an object',
  ],
  ['compare report.json report.json --fail-on all', '--fail-on takes any, regressions, none, not "all"'],
  ['compare report.json stagin', 'FOLDER/petstore.config.json names no deployment "stagin"; did you mean staging?'],
  ['compare report.json staging', 'the API key is missing: set PETSTORE_STAGING_KEY, or give --key or --key-file'],
  [
    'compare report.json RUN --only nothing',
    'no requirement and no check is called nothing; petstore verify --list lists them',
  ],
  ['history a b', 'petstore history takes one name, and got 2 words'],
  ['history', 'the history petstore-history does not exist; petstore verify --history petstore-history makes it'],
  ['history --history folder', 'the history folder holds no runs; petstore verify --history folder adds some'],
  ['history --last 0', '--last takes an integer from 1 to 1000, not "0"'],
  ['explain', 'petstore explain needs an id: petstore explain list.limit.default; petstore verify --list shows them'],
  ['explain a b', 'petstore explain takes one id, and got 2 words'],
  [
    'explain list.limt.default',
    'no requirement and no unspecified behavior is called "list.limt.default"; did you mean list.limit.default?',
  ],
  [
    'explain zzz',
    'no requirement and no unspecified behavior is called "zzz"; petstore verify --list and petstore profile list show them',
  ],
  ['mock 4011', 'petstore mock takes options only, not "4011"; did you mean --port 4011?'],
  ['mock -p 4011', 'there is no option -p; did you mean --port?'],
  ['mock -kSECRET', 'there is no option -k; did you mean --key?'],
  ['mock --prot 4011', 'there is no option --prot; did you mean --port?'],
  ['mock --port', '--port needs a value: --port PORT'],
  ['mock --port x', '--port takes an integer from 0 to 65535, not "x"'],
  ['mock --port 1 --port 2', '--port is given 2 times; give it once'],
  ['mock --quiet=yes', '--quiet takes no value'],
  ['mock --host 256.1.1.1', 'The host 256.1.1.1 is no address of this machine. Use 127.0.0.1 or 0.0.0.0.'],
  [`mock --key ''`, '--key must not be empty or contain spaces'],
  [`mock --key 'two words'`, '--key must not be empty or contain spaces'],
  ['mock --base-path v1', '--base-path must begin with "/" and not end in "/", not "v1"; did you mean /v1?'],
  ['mock --base-path /v1/', '--base-path must begin with "/" and not end in "/", not "/v1/"; did you mean /v1?'],
  [
    'mock --base-path /_petstore',
    'The base path /_petstore belongs to the control API. Choose another one, or turn the control API off.',
  ],
  ['mock --delay 300-100', '--delay takes the lower bound first: 100-300, not "300-100"'],
  ['mock --delay 600001', '--delay takes milliseconds up to 600000: 200, 100-300 or median=80,p99=900, not "600001"'],
  ['mock --rate-limit 5', '--rate-limit takes N/SECONDS, such as 10/1 or 100/60, not "5"'],
  ['mock --log xml', '--log takes text, json or none, not "xml"'],
  ['mock --seed 1.5', '--seed takes an integer from -9007199254740991 to 9007199254740991, not "1.5"'],
  ['mock --now 2030-02-31', '--now takes a date such as 2030-12-06, not "2030-02-31"'],
  ['mock --ids huge', '--ids takes small or large, not "huge"'],
  ['mock --choose x', '--choose takes CHOICE=OPTION, such as list.order=newest-first, not "x"'],
  [
    'mock --choose list.order=newest-first --choose list.order=by-name',
    '--choose: list.order is given twice; give it once',
  ],
  ['mock --choose list.ordr=newest-first', '--choose list.ordr is unknown; did you mean list.order?'],
  [
    'mock --choose list.order=newest',
    '--choose list.order must be one of newest-first, oldest-first, by-name, shuffled, and was "newest".',
  ],
  ['mock --choose list.colour=red', '--choose list.colour is unknown; petstore profile list lists them'],
  [
    'mock --deviate list.limit-ignord',
    '--deviate: there is no deviation "list.limit-ignord"; did you mean list.limit-ignored?',
  ],
  [
    'mock --deviate create.id-reused',
    '--deviate: there is no deviation "create.id-reused"; petstore mock --list-deviations lists them',
  ],
  ['mock --profile missing.json', 'the profile missing.json does not exist'],
  [
    'mock --data missing.json',
    'the pets file missing.json does not exist. Leave out --data to start with seeded pets.',
  ],
  ['mock --data folder', 'the pets file folder cannot be read: it is a folder'],
  ['mock --data half.json', 'half.json:2:1: the pets file is not JSON: value expected'],
  [
    'mock --data pets.json --pets 3',
    '--data and --pets exclude each other: the pets come from the file, or from the seed',
  ],
  ['mock --watch', '--watch needs --data FILE'],
  ['mock --rules missing.json', 'the rules file missing.json does not exist'],
  ['mock --rules petstore.config.json', 'petstore.config.json:1:1: the rules must be a JSON array'],
  ['mock --save nowhere/pets.json', '--save nowhere/pets.json cannot be written: there is no folder FOLDER/nowhere'],
  ['mock --save /dev/null', '--save takes a file, and /dev/null is no ordinary file'],
  ['mock --state folder', '--state takes a file, and FOLDER/folder is a folder'],
  ['mock --state nowhere/state', '--state nowhere/state cannot be written: there is no folder FOLDER/nowhere'],
  [
    'mock --state pets.json',
    '--state pets.json is damaged, or no file of --state: it stays as it is; move it away, or name another file',
  ],
  [
    'mock --data pets.json --watch --state state.json',
    '--watch and --state exclude each other: the pets are those of one file',
  ],
  ['mock --tls-cert bad.txt', '--tls-cert needs --tls-key FILE'],
  ['mock --tls-cert missing.pem --tls-key bad.txt', 'the certificate missing.pem does not exist'],
  ['mock --control-token short', '--control-token must be at least 16 characters of printable ASCII without spaces.'],
  [
    'mock --no-control --control-token 0123456789abcdef',
    '--control-token and --no-control exclude each other: without the control API, nothing needs it',
  ],
  ['exec npm test', 'petstore exec needs -- before the command: petstore exec --pets 30 -- npm test'],
  ['exec --', 'petstore exec needs a command after --: petstore exec -- npm test'],
  ['health a b', 'petstore health takes one URL, and got 2 words'],
  ['health ftp://a', 'petstore health takes the URL of a mock: petstore health http://127.0.0.1:4010/v1'],
  ['health http://user:SECRET@a', 'petstore health takes the URL of a mock: petstore health http://127.0.0.1:4010/v1'],
  ['health 127.0.0.1:4010', 'petstore health takes the URL of a mock: petstore health http://127.0.0.1:4010/v1'],
  ['health --timeout 0', '--timeout takes a number of seconds from 0.001 to 600, not "0"'],
  ['key', 'petstore key needs the name of a sandbox: petstore key team-a'],
  [`key ''`, 'the name of a sandbox must not be empty'],
  ['key petstore_sandbox_team-a_4fc23396', 'petstore key takes names, not keys; petstore key --check KEY checks one'],
  ['key --check KEY team-a', 'petstore key takes names, or --check and one key'],
  ['verify', 'petstore verify needs the base URL: petstore verify http://127.0.0.1:4010/v1'],
  ['verify a b', 'petstore verify takes one base URL, and got 2 words; petstore compare A B compares two'],
  ['verify 127.0.0.1:4100/v1 --key k', '"127.0.0.1:4100/v1" is no URL; did you mean http://127.0.0.1:4100/v1?'],
  ['verify localhost:4100 --key k', '"localhost:4100" is no URL; did you mean http://localhost:4100/v1?'],
  [
    'verify staging.example.com/v1 --key k',
    '"staging.example.com/v1" is no URL; did you mean https://staging.example.com/v1?',
  ],
  ['verify stagin --key k', 'FOLDER/petstore.config.json names no deployment "stagin"; did you mean staging?'],
  [
    'verify https://staging.example.com/v1 --key k',
    'This run would create up to 25 pets on staging.example.com, and they stay. Add --read-only to only read, or --allow-writes to allow it.',
  ],
  ['verify ftp://127.0.0.1/v1 --key k', 'the base URL must begin with http:// or https://'],
  ['verify http://127.0.0.1:1/v1?x=1 --key k', 'the base URL must have no query and no fragment'],
  ['verify http://127.0.0.1:1/v1', 'the API key is missing: set PETSTORE_API_KEY, or give --key or --key-file'],
  [
    `verify http://127.0.0.1:1/v1 --key 'two words'`,
    '--key has a space or a character that an Authorization header cannot carry',
  ],
  ['verify http://127.0.0.1:1/v1 --key a --key-file b', '--key and --key-file exclude each other'],
  ['verify http://127.0.0.1:1/v1 --key-file missing', 'the key file missing does not exist'],
  ['verify http://127.0.0.1:1/v1 --key-env PETSTORE_NOT_SET', 'the API key is missing: set what --key-env names'],
  ['verify RUN --config missing.json', 'the configuration missing.json does not exist'],
  ['verify RUN --read-only --allow-writes', '--read-only and --allow-writes exclude each other'],
  ['verify RUN --output report.json', 'there is no option --output; did you mean --reporter json=FILE?'],
  ['verify RUN --reporter html', '--reporter html needs a file on a terminal: --reporter html=report.html'],
  ['verify RUN --reporter jnit=x.xml', 'there is no reporter "jnit"; did you mean junit?'],
  ['verify RUN --reporter json=', '--reporter json= names no file'],
  [
    'verify RUN --reporter json --reporter junit',
    'only one reporter can have stdout; give the others a file: --reporter json=report.json',
  ],
  ['verify RUN --reporter json=folder', 'FOLDER/folder cannot be written: it is a folder; name another file'],
  [
    'verify RUN --reporter junit=/proc/x/y.xml',
    '/proc/x/y.xml cannot be written: its folder /proc/x cannot be made; name another file',
  ],
  ['verify RUN --reporter json=a --reporter junit=a', 'two reporters write to FOLDER/a; give each a file of its own'],
  ['verify RUN --baseline missing.json', 'the baseline missing.json does not exist'],
  ['verify RUN --timeout 5m', '--timeout takes a number of seconds from 0.001 to 600, not "5m"'],
  ['verify RUN --category-id x', '--category-id takes an integer, not "x"'],
  [
    'verify RUN --category-id 9223372036854775808',
    '--category-id must be an integer within int64, a bigint beyond 2^53, not 9223372036854775808',
  ],
  ['verify RUN --concurrency 0', '--concurrency takes an integer from 1 to 64, not "0"'],
  [
    'verify RUN --min-verified x',
    '--min-verified must be a number of requirements, such as 40, or a percentage, such as "80%", not "x"',
  ],
  ['verify RUN --ca bad.txt', 'bad.txt holds no PEM certificate'],
  ['verify RUN --ca missing.pem', 'the certificate file missing.pem does not exist'],
  ['verify RUN --cert bad.txt', '--cert and --cert-key need each other'],
  [
    'verify RUN --cert bad.txt --cert-key bad.txt',
    'bad.txt holds no PEM certificate\nbad.txt holds no PEM private key',
  ],
  ['verify RUN --header x', `--header takes 'Name: value'; number 1 of 1 has no name with a colon`],
  [`verify RUN --header 'Authorization: x'`, '--header Authorization is set by the suite and cannot be given'],
  [`verify RUN --header 'A: 1' --header 'a: 2'`, '--header gives A twice; join its values with commas'],
  ['verify RUN --only list.limt', 'no requirement and no check is called list.limt; did you mean list.limit.honoured?'],
  [
    'verify RUN --skip nothing.at.all',
    'no requirement and no check is called nothing.at.all; petstore verify --list lists them',
  ],
  [
    'verify RUN --min-verified 101%',
    '--min-verified must be a number of requirements, such as 40, or a percentage, such as "80%", not "101%"',
  ],
  ['verify RUN --now tomorrow', '--now must be a date such as 2030-12-06, not "tomorrow"'],
  ['verify RUN --expect-profile missing.json', 'the profile missing.json does not exist'],
  ['verify RUN --expect-profile pets.json', 'pets.json is neither a profile nor a report: it holds no choice'],
  [
    'verify RUN --only-failed report.json --expect-profile report.json',
    '--only-failed cannot be combined with only, skip, baseline or an expected profile',
  ],
  ['verify RUN --times 3', '--times needs --only-failed REPORT'],
  ['verify RUN --only-failed missing.json', 'the report missing.json does not exist'],
  ['replay', 'petstore replay needs a report: petstore replay report.json'],
  ['replay a b', 'petstore replay takes one report, and got 2 words'],
  ['replay missing.json', 'the report missing.json does not exist'],
  [
    'replay petstore.config.json',
    'petstore.config.json is not a report of petstore verify --reporter json=FILE: /schemaVersion is required',
  ],
  ['replay report.json --times 0', '--times takes an integer from 1 to 20, not "0"'],
  ['baseline', 'petstore baseline needs one report: petstore baseline report.json --reason "..."'],
  ['baseline report.json', '--reason is required: why are these failures accepted for now?'],
  ['baseline missing.json --reason x', 'the report missing.json does not exist'],
  ['baseline report.json --reason x --expires 2020-01-01', '--expires 2020-01-01 is in the past'],
  ['baseline report.json --reason x --expires soon', '--expires takes a day such as 2027-01-31, not "soon"'],
  ['baseline report.json --reason x --output folder', 'folder cannot be written: it is a folder; name another file'],
  ['profile', 'petstore profile takes list, or diff and two files: petstore profile diff a.json b.json'],
  [
    'profile lst',
    'petstore profile takes list, or diff and two files: petstore profile diff a.json b.json; did you mean list?',
  ],
  ['profile diff a', 'petstore profile takes list, or diff and two files: petstore profile diff a.json b.json'],
  ['profile diff missing.json pets.json', 'the profile missing.json does not exist'],
  ['profile diff pets.json pets.json', 'pets.json is neither a profile nor a report: it holds no choice'],
  [
    'profile diff http://a.example http://b.example',
    'profile diff compares files; petstore compare takes URLs, names of deployments and reports',
  ],
  ['scorecard localhost:4100', '"localhost:4100" is no URL; did you mean http://localhost:4100?'],
  [
    'scorecard ftp://x',
    'petstore scorecard takes the URL of a running mock: petstore scorecard http://127.0.0.1:4010/v1',
  ],
  ['scorecard a b', 'petstore scorecard takes one URL, and got 2 words'],
  ['scorecard --min-score 101', '--min-score takes an integer from 0 to 100, not "101"'],
  ['openapi 3.0', 'petstore openapi takes options only, not "3.0"'],
  ['openapi --3.1', 'there is no option --3.1; did you mean --3.0?'],
  ['openapi --output folder', 'folder cannot be written: it is a folder; name another file'],
  ['init staging', 'petstore init takes the base URL of a deployment, not "staging"'],
  ['init a b', 'petstore init takes one URL, and got 2 words'],
]

const wordsOf = (line: string): string[] =>
  [...line.replace('RUN', 'http://127.0.0.1:1/v1 --key k').matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b]) => a ?? b ?? '')

test.each(rows)('petstore %s', async (line, message) => {
  const said = await mistakeOf(wordsOf(line), { cwd: folder, terminal: { stdout: true, stderr: false } })
  expect(said.replaceAll(`${folder}/`, 'FOLDER/')).toBe(message)
})

test.each([
  ['moc', 'petstore: there is no command "moc"; did you mean mock? See petstore --help.\n'],
  ['toString', 'petstore: there is no command "toString". See petstore --help.\n'],
  ['help verfy', 'petstore: there is no command "verfy"; did you mean verify? See petstore --help.\n'],
  ['mock --port x', 'petstore: --port takes an integer from 0 to 65535, not "x"\n'],
])('petstore %s, as a process', async (line, stderr) => {
  expect(await runProcess(wordsOf(line), { cwd: folder })).toEqual({ code: 2, signal: null, stdout: '', stderr })
})
