import { isUtf8 } from 'node:buffer'
import { noHeader, type Credential } from '../contract/http/credentials.ts'
import { operationOf, type Content, type Exchange } from '../contract/http/exchange.ts'
import { ofConnection, rejectionBy } from '../contract/http/failure.ts'
import type { Violation } from '../contract/judge/findings.ts'
import { Traffic } from '../contract/traffic/traffic-judge.ts'
import type { MockReply, MockRequest } from '../mock/service/message.ts'
import { createInnerMock } from '../mock/sandbox/mock.ts'
import type { JudgedResponse } from '../mock/schemas/schemas.gen.ts'
import { readSettings } from '../mock/sandbox/settings.ts'
import type { LoggedRequest } from '../mock/sandbox/types.ts'
import { detach, enumerate } from '../errors.ts'
import { count, rowToSentence } from '../report/text.ts'
import { credentialsOf } from '../report/credentials.ts'
import { type Requirement, requirements } from '../spec/requirements.ts'
import { hash } from '../mock/service/sandbox-key.ts'
import { notRecorded, Sanitizer } from './sanitizer.ts'
import type { Passed, PassedBack } from './forward.ts'

/** Stands for any credential that is no bearer token. */
const otherCredential: Credential = {
  name: 'another credential',
  header: () => undefined,
  shell: '[redacted]',
}
/** Limits of a journal entry: violations, and characters of each text. */
const maxViolations = 5
const maxTextLength = 300

/**
 * Judges responses by the suite and requests by the scorecard, on sanitized copies.
 *
 * @param baseUrl of the deployment, without a trailing slash
 * @param onRequest called with each judged exchange
 * @param secrets values that the proxy itself sends
 */
export function createJudge(
  baseUrl: string,
  onRequest?: (request: LoggedRequest) => void,
  secrets?: readonly string[],
) {
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '')
  /** Keys that were not rejected; each has a scorecard. */
  const keys: string[] = []
  /** What responses have said about keys; nothing about most keys of a deployment that only fails. */
  const verdicts = new Map<string, KeyVerdict>()
  const settings = { ...readSettings({ pets: 0, sandboxes: false }, []), keys, basePath }
  const { mock, findOrCreate, afterResponse } = createInnerMock(settings, {
    loaded: { defects: [] },
    onRequest,
  })
  const sandbox = findOrCreate(null)
  const { journal, machine } = sandbox
  const traffic = new Traffic(baseUrl)
  const sanitizer = new Sanitizer(basePath, secrets)
  let unreached = 0
  let abandoned = 0
  let unrecorded = 0
  let unjudged = 0
  let skipped = 0

  function judge(observed: Passed): void {
    sanitizer.learn(observed.request)
    const passed = withAcceptedKey(observed)
    const { request, response, at, durationMs, isAbandoned } = passed
    const sent = sanitizer.sent(passed.sent, request.headers)
    const clean = cleanRequest(passed, textOf(sent))
    const key = sanitizer.keyOf(request.headers)
    const isShown = request.headers['authorization'] !== notRecorded
    if (key !== undefined) learnVerdict(key, response && verdictBy(response), isShown)
    const reply =
      response === undefined
        ? noteMissing(passed)
        : judgeResponse(passed, response, clean, sent, key)
    machine.clock.at = at
    const entry = journal.record(clean, reply, {
      at,
      microseconds: Math.round(durationMs * 1_000),
      changes: [],
    })
    const { address = '', headers } = observed.request
    const origin = String(hash(`${address} ${String(headers['user-agent'])}`))
    const waitedMs = entry.microseconds / 1000
    Object.assign(entry, { abandoned: isAbandoned, origin, waitedMs })
    afterResponse(sandbox)
  }

  /** A success shows that a bearer token was accepted, even one that is masked or looks like a placeholder. */
  function withAcceptedKey(passed: Passed): Passed {
    const { request, response } = passed
    const { authorization } = request.headers
    const isOne =
      typeof authorization === 'string' &&
      /^\s*Bearer\s+\S/i.test(authorization) &&
      !/,\s*Bearer\s/i.test(authorization)
    const isSuccess = response !== undefined && response.status >= 200 && response.status < 300
    if (!isOne || !isSuccess || sanitizer.keyOf(request.headers) !== undefined) return passed
    const headers = { ...request.headers, authorization: notRecorded }
    return { ...passed, request: { ...request, headers } }
  }

  function cleanRequest({ request, sent: { bytes, isPart } }: Passed, body: string): MockRequest {
    const clean: MockRequest = {
      method: /^[A-Z]{1,10}$/.test(request.method) ? request.method : 'OTHER',
      target: sanitizer.target(request.target),
      headers: sanitizer.requestHeaders(request.headers),
      body,
      // Without a connection, as in an archive, each request may be on its own one.
      connection: request.connection ?? journal.progress.number + 1,
    }
    if (request.rejection !== undefined) clean.rejection = request.rejection
    if (isPart) clean.bodyFault = 'too-large'
    else if (!isUtf8(bytes)) clean.bodyFault = 'not-utf8'
    return clean
  }

  /** A key that was accepted once stays so: a later 401 is a mistake of the deployment, or of the time. */
  function learnVerdict(key: string, verdict: KeyVerdict | undefined, isShown: boolean): void {
    const isNews = verdict === 'accepted' || (verdicts.get(key) === undefined && isShown)
    if (verdict !== undefined && isNews) verdicts.set(key, verdict)
    const isRejected = verdicts.get(key) === 'rejected'
    const place = keys.indexOf(key)
    if (isRejected === (place === -1)) return
    // The scorecards follow: they assess earlier requests again.
    if (isRejected) keys.splice(place, 1)
    else keys.push(key)
  }

  /** What the client got when the deployment did not respond. */
  function noteMissing({ own, request, isAbandoned }: Passed): MockReply {
    if (own !== undefined) {
      if (own.status >= 500 && request.rejection === undefined) unreached += 1
    } else if (isAbandoned) abandoned += 1
    else unrecorded += 1
    const reason = sanitizer.redact(
      own?.message ??
        (isAbandoned
          ? 'the client closed the connection before a response came'
          : 'no response is recorded'),
    )
    const judged: JudgedResponse = { verdict: own ? 'proxy' : 'not-judged', reason }
    return { status: own?.status ?? 0, headers: {}, body: '', judged }
  }

  function judgeResponse(
    passed: Passed,
    response: PassedBack,
    clean: MockRequest,
    sent: Content,
    key: string | undefined,
  ): MockReply {
    const { request, durationMs, isAbandoned } = passed
    const { status, isCut } = response
    const isAccepted = key !== undefined && verdicts.get(key) === 'accepted'
    const headers = sanitizer.responseHeaders(response.headers)
    const body = isCut ? { bytes: Buffer.alloc(0), isPart: false } : response.body
    const path = clean.target.startsWith(basePath)
      ? clean.target.slice(basePath.length)
      : clean.target
    const hasCredential = presentsSomething(request)
    const exchange: Exchange = {
      plan: {
        method: clean.method,
        path,
        headers: {
          accept: '',
          'accept-encoding': '',
          'user-agent': '',
          'content-type': '',
          ...withoutKeys(clean),
        },
        ...(clean.body !== '' && { body: clean.body }),
        ...(key === undefined && { credential: hasCredential ? otherCredential : noHeader }),
      },
      operation: operationOf(clean.method, path),
      status,
      headers,
      content: sanitizer.received(body, response.headers),
      sentAt: passed.sentAt ?? traffic.elapsed() - durationMs,
      durationMs,
    }
    const { outcome, violations } = isAbandoned
      ? { outcome: 'cut' as const, violations: [] }
      : traffic.judge({ exchange, sent, isAccepted, hasCredential, isCut })
    return {
      status,
      headers,
      body: textOf(exchange.content),
      judged: toJudged(outcome, violations, isAbandoned),
      ...(outcome === 'unread' && { isUnread: true as const }),
    }
  }

  return {
    /** Holds the journal and the scorecards for the control API; it has no pets. */
    mock,
    judge(passed: Passed): void {
      try {
        judge(passed)
      } catch {
        // An error while judging must not stop the traffic.
        unjudged += 1
      } finally {
        passed.release()
      }
    },
    /** Drops exchanges that there is no time for. */
    skip(exchanges: readonly Passed[]): void {
      skipped += exchanges.length
      for (const { release } of exchanges) release()
    },
    shown: () => traffic.shown(),
    withConforming: traffic.withConforming.bind(traffic),
    hasJudged: () => traffic.hasTested,
    /** Why nothing could be judged, and mostly for which reason; undefined if no request came. */
    whyNothing(): Nothing | undefined {
      const { gateway, unread, cut, other } = traffic.counts
      const { isService } = traffic
      const useless = [...traffic.statuses].flatMap(([status, { judged, failed }]) => {
        const times = isService ? failed : judged
        return times > 0 ? [{ status, times }] : []
      })
      const statuses = useless.map(({ status }) => status).toSorted((a, b) => a - b)
      const [most, ...rest] = (
        [
          ['failed', unreached, 'got no response from the deployment'],
          [
            isService ? 'rejected' : 'foreign',
            useless.reduce((sum, { times }) => sum + times, 0),
            `got no ${isService ? 'success of an operation' : 'response of the Pet Store Service'}, but ${enumerate(statuses.slice(0, 5).map(String), 'and')}`,
          ],
          ['failed', gateway, 'got a response of a gateway or a rate limit'],
          ['unread', unread, 'got a body that is too large, not recorded or in another coding'],
          ['unread', unrecorded, 'have no recorded response'],
          ['failed', cut, 'got a response that ended early'],
          ['failed', abandoned, 'were aborted by the client'],
          ['other', other, 'called no operation, or were redirected'],
        ] as const
      )
        .filter(([, times]) => times > 0)
        .toSorted(([, one], [, another]) => another - one)
      if (most === undefined) return undefined
      const [kind, times, words] = most
      const parts = [
        `${count(times, 'request')} ${words}`,
        ...rest.map((row) => row.slice(1).join(' ')),
      ]
      return { kind, reason: `nothing could be judged: ${parts.join(', ')}` }
    },
    /** @param reason why nothing could be judged */
    report: (reason?: string) =>
      traffic.report(reason, [
        ...(unreached > 0
          ? [
              `The proxy itself responded to ${count(unreached, 'request')} that got no response from the deployment.`,
            ]
          : []),
        ...(abandoned > 0 ? [`Clients aborted ${count(abandoned, 'request')}.`] : []),
        ...(unrecorded > 0 ? [`${count(unrecorded, 'request')} without a recorded response.`] : []),
        ...(unjudged > 0
          ? [
              `${count(unjudged, 'exchange')} could not be judged, which is a mismatch of petstore-kit.`,
            ]
          : []),
        ...(skipped > 0
          ? [`${count(skipped, 'exchange')} were not judged, since the proxy had to end.`]
          : []),
        ...(traffic.missed > 0
          ? [`${count(traffic.missed, 'pet')} more were shown than the proxy remembers.`]
          : []),
      ]),
  }
}

export type ProxyJudge = ReturnType<typeof createJudge>

const textOf = (content: Content): string => (content.kind === 'empty' ? '' : content.text)

/** Traffic of which nothing could be judged. */
export interface Nothing {
  kind: 'failed' | 'unread' | 'other' | 'rejected' | 'foreign'
  reason: string
}

type KeyVerdict = 'accepted' | 'rejected'

/**
 * What a response says about the key of its request: authentication comes first. Failures, redirects and what a gateway
 * responds say nothing, nor does a 403: the key may be one that may not do this.
 */
function verdictBy({ status, headers }: PassedBack): KeyVerdict | undefined {
  if (rejectionBy(status, headers) !== undefined || ofConnection.includes(status)) return undefined
  if (status === 401) return 'rejected'
  const isAccepted = status < 300 || (status >= 400 && status < 500)
  return isAccepted && status !== 403 && status !== 407 ? 'accepted' : undefined
}

/** Whether a request has anything that may be a credential. */
function presentsSomething({
  target,
  headers: { authorization = '', ...headers },
}: MockRequest): boolean {
  const isBlank = /^(?:Bearer)?$/i.test(String(authorization).trim())
  return (
    !isBlank || headers['cookie'] !== undefined || credentialsOf({ target, headers }).length > 0
  )
}

const withoutKeys = ({ headers }: MockRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (pair): pair is [string, string] =>
        !/^(authorization|content-length|transfer-encoding)$/.test(pair[0]),
    ),
  )

const words = {
  gateway: 'a gateway or a rate limit responded',
  unread:
    'the body is too large, not recorded, or in a content coding that the proxy does not read',
  cut: 'the response was truncated',
  other: 'the request calls no operation, or the response is a redirect or partial',
}

function toJudged(
  outcome: keyof typeof words | 'judged',
  violations: readonly Violation[],
  isAbandoned: boolean,
): JudgedResponse {
  const clip = (text: string): string => detach(text.slice(0, maxTextLength))
  const found = violations
    .slice(0, maxViolations)
    .map(({ requirement, message, pointer = '', expected, actual }) => {
      const { quote = '' } =
        (requirements as readonly Requirement[]).find(({ id }) => id === requirement) ?? {}
      const shown = {
        message: clip(message),
        pointer,
        expected: clip(expected),
        actual: clip(actual),
      }
      return { requirement, quote, sentence: rowToSentence(quote), ...shown }
    })
  if (found.length > 0) return { verdict: 'violates', violations: found }
  if (isAbandoned) return { verdict: 'not-judged', reason: 'the client closed the connection' }
  return outcome === 'judged'
    ? { verdict: 'conforms' }
    : { verdict: 'not-judged', reason: words[outcome] }
}
