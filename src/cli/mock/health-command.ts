import type { ClientRequest, IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isLoopback } from '../../option-checks.ts'
import { hostInUrl, probes } from '../../mock/control/guard.ts'
import { flagsOf, type Parsed } from '../../options.ts'
import { shortInert } from '../../report/text.ts'
import { type Command, onlyWord, readMockUrl, warn } from '../command.ts'
import { mockFlags } from './mock-flags.ts'

/** Flags that `petstore mock` has, too, with the same environment variables. */
const ofMock: Readonly<Record<string, string>> = {
  port: 'the port of the mock',
  host: 'the address that the mock listens on',
  'tls-cert': 'the mock serves HTTPS',
  'base-path': 'the path of its base URL',
  'no-control': 'the mock has no control API: any status of the interface below 500 is accepted',
}

export const command: Command = {
  usage: ['petstore health [URL] [options]'],
  about: `Checks that a mock is ready. Without a URL, it checks the mock on this machine, with the address
from the environment variables of petstore mock. It needs no key and no token.`,
  flags: [
    ...mockFlags.flatMap((flag) => {
      const help = ofMock[flag.name]
      return help === undefined ? [] : [{ ...flag, group: 'Options', help }]
    }),
    ...flagsOf('Options', {
      insecure: 'trust any certificate (always the case on this machine)',
      'timeout DURATION': {
        default: '3s',
        range: [0.001, 600],
        help: 'the time to wait for the response',
      },
    }),
  ],
  examples: [
    'petstore health',
    'PETSTORE_MOCK_PORT=8080 petstore health',
    'petstore health https://mock.example.com/v1',
  ],
  exitCodes: {
    0: 'the mock is ready',
    1: 'the mock is not ready or does not respond in time',
  },
  async run(console, flags) {
    const { url, isOwn } = urlOf(flags)
    const issue = await issueOf(url, isOwn, flags)
    if (issue === undefined) await console.print(`The mock at ${url.origin} is ready.\n`)
    else warn(console, `the mock at ${url.origin} is not ready: ${issue}`)
    return issue === undefined ? 0 : 1
  },
}

/** `isOwn`: on this machine, where certificates are issued for other names. */
function urlOf(flags: Parsed): { url: URL; isOwn: boolean } {
  const word = onlyWord(flags, 'petstore health takes one URL')
  const own = `${flags.has('tls-cert') ? 'https' : 'http'}://${hostInUrl(String(flags.text('host')))}:${flags.text('port')}`
  const url = readMockUrl(word ?? own, 'petstore health')
  const target = flags.has('no-control') ? `${flags.text('base-path')}/pets?limit=1` : probes.ready
  return { url: new URL(target, url), isOwn: word === undefined || isLoopback(url.hostname) }
}

async function issueOf(url: URL, isOwn: boolean, flags: Parsed): Promise<string | undefined> {
  const timeoutMs = Number(flags.milliseconds('timeout'))
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const trust = { rejectUnauthorized: !isOwn && !flags.has('insecure') }
    const { status, body } = await get(url, { ...trust, signal, maxLength: 10_000 })
    if (flags.has('no-control')) return status < 500 ? undefined : `it responds ${status}`
    const isWell = status === 200 && /^\{\s*"status": *"(?:ok|ready)"/.test(body)
    return isWell ? undefined : `it responds ${status}${reasonIn(body)}`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return signal.aborted ? `it did not respond in ${timeoutMs / 1000} s` : (code ?? message)
  }
}

/** @param maxLength characters of the body that are read */
export async function get(
  url: URL,
  { maxLength, ...options }: RequestOptions & { maxLength: number },
) {
  const { request } =
    url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const sent: ClientRequest = request(url, { ...options, agent: false })
  sent.end()
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject)
    sent.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('it switched to another protocol (101)'))
    })
  })
  let body = ''
  for await (const chunk of message.setEncoding('utf8')) {
    body += String(chunk)
    if (body.length > maxLength) break
  }
  sent.destroy()
  return { status: message.statusCode ?? 0, type: message.headers['content-type'] ?? '', body }
}

function reasonIn(body: string): string {
  const [, message] = /"message": *"([^"\\]*)"/.exec(body) ?? []
  return message === undefined ? '' : `: ${shortInert(message, 200)}`
}
