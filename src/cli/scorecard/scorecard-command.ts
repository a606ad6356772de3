import { ControlError, createControl } from '../../control.ts'
import { defaultCertificates } from '../../contract/http/connection.ts'
import { readCertificates } from '../../contract/http/connection-options.ts'
import { UsageError } from '../../errors.ts'
import { isLoopback } from '../../option-checks.ts'
import { sandboxName } from '../../mock/service/sandbox-key.ts'
import { commonFormats } from '../../report/formats.ts'
import { createRedactor } from '../../report/redact.ts'
import { count, shortInert, toInertJson } from '../../report/text.ts'
import { scorecardReporters } from '../../mock/scorecard/reporters.ts'
import type { Scorecard } from '../../mock/index.ts'
import { validators } from '../../mock/scorecard/validators.gen.ts'
import { flagsOf, type Parsed } from '../../options.ts'
import { operations } from '../../spec/operations.ts'
import {
  type Command,
  type Console,
  onlyWord,
  readMockUrl,
  readInFlags,
  warn,
  notWritten,
} from '../command.ts'
import { certificateFormats, certify } from './certificate.ts'
import { get } from '../mock/health-command.ts'
import { prepareOutputs, readOutputs, reporterTable, writeOutputs } from '../outputs.ts'
import { verifyFlags } from '../verify/verify-flags.ts'
import { readCertificateFiles } from '../verify/verify-options.ts'

export const command: Command = {
  usage: ['petstore scorecard [URL] [options]'],
  about: `Shows how well each client of a running mock follows the contract of the Pet Store Service,
with its requests, what is wrong with them, and how to fix it.

URL is the address of the mock, with or without its base path.
Default: PETSTORE_BASE_URL, or http://127.0.0.1:4010.`,
  flags: [
    ...flagsOf('Options', {
      ...reporterTable('the report', commonFormats),
      'min-score N': {
        range: [0, 100],
        help: 'exit with 1 if a client with requests has a lower score',
      },
      'min-coverage N': {
        range: [0, 100],
        help: 'exit with 3, or 1 with --certificate, if a client has a lower coverage (%; default: 20 with --min-score)',
      },
      'certificate FILE':
        'write a dated certificate (.json or .html) if each client reaches --min-score (100) and --min-coverage (20), has used listPets and createPet, and got an error',
      'har FILE': 'also write the journal as an HTTP archive (HAR)',
      'sandbox NAME':
        'show only the scorecard of this sandbox, or of the keys of the mock: main (default: that of --token, if it is the key of a sandbox)',
      'token TOKEN': {
        env: 'PETSTORE_CONTROL_TOKEN',
        help: 'the token of the control API, if it needs one, or the key of a sandbox',
      },
    }),
    ...verifyFlags
      .filter(({ name }) => name === 'ca')
      .map((flag) => ({ ...flag, group: 'Options' })),
  ],
  examples: [
    'petstore scorecard http://127.0.0.1:4010 --min-score 100 --reporter html=scorecard.html',
    'petstore scorecard --har requests.har',
    'petstore scorecard --sandbox team-a --certificate certificate.html --min-coverage 80',
  ],
  exitCodes: {
    0: 'every client reaches --min-score',
    1: 'a client has a lower score than --min-score, or with --certificate: a lower coverage than --min-coverage, or not what a certificate needs',
    3: 'no mock responded, or it got no requests, or the coverage is lower than --min-coverage, or with --min-score: the journal no longer has all requests',
    4: notWritten,
  },
  run: showScorecards,
}

async function showScorecards(console: Console, flags: Parsed): Promise<number> {
  const mock = await connect(flags, console.env)
  const outputs = readOutputs<readonly Scorecard[]>(
    console,
    flags.list('reporter'),
    scorecardReporters,
  )
  const certificate = flags.text('certificate')
  const har = flags.text('har')
  const format = certificate === undefined ? undefined : formatOf(certificate)
  const files = [certificate, har].filter((file) => file !== undefined)
  await prepareOutputs([...outputs, ...files.map((file) => ({ file }))])
  const received = await readFrom(
    mock,
    mock.part.readScorecards,
    (value) => validators.Scorecards(value).length === 0,
  )
  if (typeof received === 'string') {
    warn(console, received)
    // The files must not look like those of a good run, nor keep old content.
    return writeOutputs(
      console,
      outputs.filter(({ file }) => file !== undefined),
      [],
      3,
    )
  }
  const { scorecards } = received as { scorecards: Scorecard[] }
  const found = scorecards.filter(mock.isShown)
  const [verdict, reason] = verdictOf(found, flags)
  let code = await writeOutputs(console, outputs, found, verdict)
  if (har !== undefined) {
    const journal = await readFrom(mock, mock.part.exportJournal)
    const output = { name: 'har', file: har, render: toInertJson }
    if (typeof journal !== 'string') code = await writeOutputs(console, [output], journal, code)
    else {
      warn(console, journal)
      code = code || 3
    }
  }
  const unwritten = format === undefined ? '' : '; no certificate is written'
  if (reason !== undefined) warn(console, reason + unwritten)
  if (verdict !== 0 || format === undefined) return code
  const active = found.filter(({ score }) => score !== null)
  const { score = 0, coverage } = minimaOf(flags)
  const settings = await readFrom(
    mock,
    mock.part.readSettings,
    ({ defects, profile }) => Array.isArray(defects) && isObject(profile),
  )
  if (typeof settings === 'string') {
    warn(console, settings + unwritten)
    return code || 3
  }
  const made = certify(active, mock.origin, settings, { score, coverage })
  const output = { name: format, file: certificate, render: certificateFormats[format] }
  return writeOutputs(console, [output], made, code)
}

function formatOf(file: string): 'json' | 'html' {
  const [, format] = /\.(json|html)$/.exec(file) ?? []
  if (format === undefined) {
    throw new UsageError(
      `--certificate takes a file that ends in .json or .html, not ${JSON.stringify(file)}`,
    )
  }
  return format as 'json' | 'html'
}

/** The minima; a certificate requires a score of 100 by default. */
function minimaOf(flags: Parsed): { score: number | undefined; coverage: number } {
  const score = flags.integer('min-score') ?? (flags.has('certificate') ? 100 : undefined)
  return {
    score,
    coverage: flags.integer('min-coverage') ?? (score === undefined ? 0 : defaultCoverage),
  }
}

/** The coverage (%) below which a score says little: one list and one creation reach it. */
const defaultCoverage = 20

function verdictOf(
  scorecards: readonly Scorecard[],
  flags: Parsed,
): [code: number, reason?: string] {
  const { score: least, coverage: minCoverage } = minimaOf(flags)
  const active = scorecards.filter(({ score }) => score !== null)
  if (active.length === 0) {
    const all = scorecards.reduce((most, { journal }) => Math.max(most, journal.received), 0)
    const reason =
      all === 0
        ? 'the mock has received no requests yet; let your client call it first'
        : `the mock has received ${count(all, 'request')}, but none to assess: only automatic ones, those of petstore verify, or requests whose entries are lost`
    return [3, reason]
  }
  const low = active.filter(({ score }) => least !== undefined && Number(score) < least).length
  if (low > 0) return [1, `${low} of ${active.length} clients scored below ${least}`]
  const { counted, received } =
    scorecards.find(({ journal }) => journal.counted < journal.received)?.journal ?? {}
  if (least !== undefined && counted !== undefined) {
    // Extra requests must not improve the score.
    const reason = `only ${counted} of ${received} requests are counted, so the score is incomplete: the journals of other mocks no longer have the others; run fewer tests at once, or one mock alone`
    return [3, reason]
  }
  const missing = flags.has('certificate') ? active.flatMap(missingIn) : []
  if (missing.length > 0) {
    const needs =
      'a certificate needs requests to listPets and createPet, and one that got an error'
    return [1, `a client has not tried ${[...new Set(missing)].join(', ')}: ${needs}`]
  }
  const lowest = Math.min(...active.map(({ coverage }) => coverage.percent))
  if (lowest >= minCoverage) return [0]
  const reason = `a client has a coverage of ${lowest}%, less than ${minCoverage}%: its score says little; send more requests, or give another --min-coverage`
  return [flags.has('certificate') ? 1 : 3, reason]
}

/** What a client has to try before a certificate says anything about it. */
function missingIn({ coverage: { operations: all } }: Scorecard): string[] {
  const untried = all.filter(
    ({ operation, requests }) => requests === 0 && !operations[operation].deprecated,
  )
  const hasError = all.some(({ responses }) =>
    Object.keys(responses).some((status) => !/^[1-3]/.test(status)),
  )
  return [...untried.map(({ operation }) => operation), ...(hasError ? [] : ['an error'])]
}

/** 10,000 sandboxes need far less. */
const timeoutMs = 30_000
const maxLength = 64 * 2 ** 20

/** How the console calls the keys of the mock itself. */
const main = 'main'

/** A client of the control API; `part` is that of the selected sandbox. */
async function connect(flags: Parsed, env: Console['env']) {
  const word = onlyWord(flags, 'petstore scorecard takes one URL')
  const text = word ?? (env['PETSTORE_BASE_URL'] || 'http://127.0.0.1:4010')
  const { origin, hostname } = readMockUrl(text, 'petstore scorecard')
  const token = flags.text('token')
  // The key of a sandbox names it.
  const named = flags.text('sandbox') ?? sandboxName(token ?? '')
  const { ca } = await readCertificateFiles(flags)
  readInFlags(flags, (issues) => readCertificates(ca, issues))
  const trust =
    ca === undefined
      ? // On this machine, certificates are issued for other names.
        { rejectUnauthorized: !isLoopback(hostname) }
      : { ca: [...defaultCertificates(), ca] }
  // The global fetch blocks some ports.
  const send = async (url: string, sent: RequestInit): Promise<Response> => {
    const headers = sent.headers as Record<string, string>
    const signal = AbortSignal.timeout(timeoutMs)
    const { status, type, body } = await get(new URL(url), { ...trust, headers, signal, maxLength })
    // A 204 must have no body, not even an empty one.
    return new Response(body || null, { status, headers: { 'content-type': type } })
  }
  const control = createControl({ baseUrl: origin, token, fetch: send })
  // A sandbox may have this name, too.
  const isMain =
    named === main &&
    (await control
      .listSandboxes()
      .then(({ sandboxes }) => sandboxes.every(({ name }) => name !== main))
      .catch(() => false))
  const sandbox = isMain ? undefined : named
  const part = sandbox === undefined ? control : control.sandbox(sandbox)
  const hide = createRedactor({ $PETSTORE_CONTROL_TOKEN: [token ?? ''] })
  const isShown = (card: Scorecard): boolean => !isMain || card.sandbox === undefined
  return { origin, sandbox, control, part, hide, isShown }
}

type Connection = Awaited<ReturnType<typeof connect>>

const isObject = (value: unknown): boolean => Object(value) === value

/** The object that a request to the mock returns, or a message why there is none, or no right one. */
async function readFrom<Value>(
  mock: Connection,
  read: () => Promise<Value>,
  isRight: (value: Value) => boolean = isObject,
): Promise<Value | string> {
  const { origin, sandbox, control, hide } = mock
  try {
    const found = await read()
    return isObject(found) && isRight(found) ? found : notOfThisKit(origin)
  } catch (error) {
    if (error instanceof ControlError) {
      const list =
        error.status === 404 && sandbox !== undefined
          ? await control.listSandboxes().catch(() => undefined)
          : undefined
      return hide(
        list === undefined ? whyRejected(error, origin) : noSandbox(sandbox, list, origin),
      )
    }
    if (error instanceof SyntaxError) return notOfThisKit(origin)
    const { code, message } = error as NodeJS.ErrnoException
    return `no mock can be reached at ${origin} (${code ?? message}); start one with petstore mock, or give its URL`
  }
}

const notOfThisKit = (origin: string): string =>
  `the server at ${origin} is not a mock of this kit: it has no scorecards`

const maxNamed = 20

function noSandbox(
  wanted: string | undefined,
  { sandboxes }: { sandboxes?: unknown },
  origin: string,
): string {
  const names = (Array.isArray(sandboxes) ? sandboxes : []).map((one) =>
    String((one as { name?: unknown } | null)?.name),
  )
  const more = names.length > maxNamed ? [`${names.length - maxNamed} more`] : []
  const known = [...names.slice(0, maxNamed).map((name) => shortInert(name, 100)), ...more].join(
    ', ',
  )
  return `there is no sandbox ${JSON.stringify(wanted)} at ${origin}; the mock has ${known || 'none yet'}`
}

function whyRejected(
  { status, message }: { status: number; message: string },
  origin: string,
): string {
  if (status === 404) {
    return `there is no control API at ${origin}; is it a mock of this kit, started without --no-control?`
  }
  const shown = shortInert(message, 300).replace(/\.$/, '')
  return status === 401
    ? `the control API at ${origin} rejects: ${shown}; give --token, or set PETSTORE_CONTROL_TOKEN`
    : `the mock at ${origin} rejects: ${shown}`
}
