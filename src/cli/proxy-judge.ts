import { noHeader, type Credential } from '../contract/credentials.ts'
import { operationOf, type Content, type Exchange } from '../contract/exchange.ts'
import type { Violation } from '../contract/findings.ts'
import type { Report } from '../contract/report.ts'
import type { Shown } from '../contract/shown.ts'
import { Traffic } from '../contract/traffic.ts'
import type { JudgedResponse, MockReply, MockRequest } from '../mock/message.ts'
import { createRecorder, type Recorder } from '../mock/recorder.ts'
import type { LoggedRequest } from '../mock/types.ts'
import { count } from '../report/text.ts'
import { credentialsOf } from '../report/credentials.ts'
import { type Clause, clauses } from '../spec/clauses.ts'
import { Cleaner } from './proxy-clean.ts'
import type { Passed } from './proxy-forward.ts'

/** Judges what has passed: responses by the suite, requests by the scorecard. Of both, it keeps what may be kept. */
export interface ProxyJudge {
  /** For the control API. */
  mock: Recorder['mock']
  judge: (passed: Passed) => void
  /** The pets that responses have shown. */
  shown: () => Shown
  /** Whether any response of an operation was judged. */
  hasJudged: () => boolean
  /** @param reason why nothing could be judged. */
  report: (reason?: string) => Report
}

/** A request that presents something that is no bearer token. */
const otherCredential: Credential = { name: 'another credential', header: () => undefined, shell: '[redacted]' }
/** Violations of one response that the journal has, and characters of each text. */
const mostViolations = 5
const longest = 300

/**
 * @param baseUrl of the deployment, without a slash at its end.
 * @param onRequest called with each exchange once it is judged.
 */
export function createJudge(baseUrl: string, onRequest?: (request: LoggedRequest) => void): ProxyJudge {
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '')
  const recorder = createRecorder(basePath)
  const traffic = new Traffic(baseUrl)
  const cleaner = new Cleaner(basePath)
  let unreached = 0
  let abandoned = 0
  let unjudged = 0

  function judge(passed: Passed): void {
    const { request, at, durationMs, isAbandoned } = passed
    const record = (clean: MockRequest, reply: MockReply): void => {
      const show = recorder.record(clean, reply, { at, microseconds: Math.round(durationMs * 1_000), isAbandoned })
      const logged = onRequest && show()
      if (logged !== undefined) onRequest?.(logged)
    }
    cleaner.learn(request.target, request.headers)
    const coding = passed.sent.isPart ? undefined : String(request.headers['content-encoding'] ?? '')
    const sent = passed.sent.isPart ? undefined : cleaner.sentBody(passed.sent.bytes, coding)
    const clean: MockRequest = {
      method: /^[A-Z]{1,10}$/.test(request.method) ? request.method : 'OTHER',
      target: cleaner.target(request.target),
      headers: cleaner.requestHeaders(request.headers),
      body: sent?.text ?? '',
      ...(sent === undefined
        ? { bodyFault: 'too-large' as const }
        : sent.isUtf8
          ? {}
          : { bodyFault: 'not-utf8' as const }),
    }
    const { own, response } = passed
    if (response === undefined) {
      if (own === undefined) abandoned += 1
      else if (own.status >= 500) unreached += 1
      const reason = cleaner.redact(own?.message ?? 'the client closed the connection before a response came')
      record(clean, {
        status: own?.status ?? 0,
        headers: {},
        body: '',
        judged: { verdict: own ? 'proxy' : 'not-judged', reason },
      })
      return
    }
    const key = cleaner.keyOf(request.headers)
    const isAccepted = key !== undefined && recorder.keys.includes(key)
    const accepts = response.status !== 401 && response.status !== 403 && response.status < 500
    if (key !== undefined && !isAccepted && accepts) recorder.keys.push(key)
    const headers = cleaner.responseHeaders(response.headers, request.headers)
    const { body } = response
    const { 'content-encoding': bodyCoding } = response.headers
    const content: Content = body.isPart
      ? cleaner.beginning(body.bytes, 'it is larger than 512 KiB, or too many bodies passed at once')
      : cleaner.content(response.isCut ? Buffer.alloc(0) : body.bytes, bodyCoding)
    const path = clean.target.startsWith(basePath) ? clean.target.slice(basePath.length) : clean.target
    const presented = credentialOf(request, key)
    const exchange: Exchange = {
      plan: {
        method: clean.method,
        path,
        headers: { accept: '', 'accept-encoding': '', 'user-agent': '', 'content-type': '', ...withoutKeys(clean) },
        ...(clean.body !== '' && { body: clean.body }),
        ...(presented && { credential: presented }),
      },
      operation: operationOf(clean.method, path),
      status: response.status,
      headers,
      content,
      sentAt: traffic.elapsed() - durationMs,
      durationMs,
    }
    const hasCredential =
      !/^\s*(?:Bearer)?\s*$/i.test(String(request.headers['authorization'] ?? '')) ||
      request.headers['cookie'] !== undefined ||
      credentialsOf({ target: request.target, headers: { ...request.headers, authorization: undefined } }).length > 0
    const { outcome, violations } = isAbandoned
      ? { outcome: 'cut' as const, violations: [] }
      : traffic.judge({ exchange, sent: sent?.content, isAccepted, hasCredential, isCut: response.isCut })
    const text = content.kind === 'empty' ? '' : content.text
    record(clean, {
      status: response.status,
      headers,
      body: text,
      judged: toJudged(outcome, violations, isAbandoned),
    })
  }

  return {
    mock: recorder.mock,
    judge(passed) {
      try {
        judge(passed)
      } catch {
        // Traffic goes on, whatever becomes of its judge.
        unjudged += 1
      } finally {
        passed.release()
      }
    },
    shown: () => traffic.shown(),
    hasJudged: () => traffic.counts.judged > 0,
    report: (reason) =>
      traffic.report(reason, [
        ...(unreached > 0
          ? [`The proxy itself responded to ${count(unreached, 'request')} that got no response of the deployment.`]
          : []),
        ...(abandoned > 0 ? [`Clients gave up ${count(abandoned, 'request')}.`] : []),
        ...(unjudged > 0
          ? [`${count(unjudged, 'exchange')} could not be judged, which is a defect of petstore-kit.`]
          : []),
        ...(traffic.missed > 0 ? [`${count(traffic.missed, 'pet')} more were shown than the proxy remembers.`] : []),
      ]),
  }
}

/** What a request presents, as a report names it; undefined for a bearer token. */
function credentialOf({ headers, target }: MockRequest, key: string | undefined): Credential | undefined {
  if (key !== undefined) return undefined
  return headers['authorization'] === undefined && credentialsOf({ target, headers }).length === 0
    ? noHeader
    : otherCredential
}

const withoutKeys = ({ headers }: MockRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (pair): pair is [string, string] => !/^(authorization|content-length|transfer-encoding)$/.test(pair[0]),
    ),
  )

const words = {
  gateway: 'a gateway or a rate limit responded',
  'too-large': 'the body is too large',
  cut: 'the response ended before its end',
  other: 'the request calls no operation, or the response is a redirect',
}

function toJudged(
  outcome: keyof typeof words | 'judged',
  violations: readonly Violation[],
  isAbandoned: boolean,
): JudgedResponse {
  const found = violations.slice(0, mostViolations).map(({ clause, message, pointer = '', expected, actual }) => {
    const { quote = '' } = (clauses as readonly Clause[]).find(({ id }) => id === clause) ?? {}
    const [text, wanted, was] = [message, expected, actual].map((part) => part.slice(0, longest)) as [
      string,
      string,
      string,
    ]
    return { clause, quote, message: text, pointer, expected: wanted, actual: was }
  })
  if (found.length > 0) return { verdict: 'violates', violations: found }
  if (isAbandoned) return { verdict: 'not-judged', reason: 'the client closed the connection' }
  return outcome === 'judged' ? { verdict: 'conforms' } : { verdict: 'not-judged', reason: words[outcome] }
}
