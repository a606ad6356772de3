import * as credentials from '../http/credentials.ts'
import type { Credential } from '../http/credentials.ts'
import { operationOf, withAcceptHeader, type Exchange, type Plan } from '../http/exchange.ts'
import { longestList } from '../judge/catalog.ts'
import { GetRemoved } from '../judge/findings.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import { type OperationId, operations } from '../../spec/operations.ts'
import { categoryFor, rarestStatus, sendInvalid } from '../session/creation.ts'
import { describe, wrongStatus, type Demand } from '../judge/expect.ts'
import type { Check, Session } from '../session/session.ts'
import { isLoopback } from '../../option-checks.ts'
import { collectAll } from '../http/waiting.ts'

/** Ids in the forms that an int64 has: a route may match digits alone. */
const [unknownId, negativeId] = ['8714055236174310993', '-1'] as const

/** Requests without a valid key: 401 with an Error body, whatever else is wrong with them. */
export const accessChecks: Check[] = [
  {
    id: 'access.list-pets',
    // The connections have carried the valid key before, and these paths have succeeded.
    title:
      'GET /pets without a valid key returns 401, also over a connection that was accepted before; with the key in the query only if the base URL is on this machine',
    stage: 'access',
    smoke: { writes: 0 },
    requirements: ['list.401', 'auth.missing-key', 'auth.invalid-key', 'auth.required'],
    async run(session) {
      // From now on, a cache may hold this list.
      const longest = longestList(rarestStatus(session.run))
      const listed = (await session.list(longest).catch(() => undefined))?.exchange
      const path = listed?.plan.path ?? '/pets'
      // Each credential goes with another form of the request.
      const requests: [Credential, path?: string][] = [
        [credentials.noHeader, '/pets'],
        [credentials.noHeader, path],
        [credentials.noHeader, '/pets?limit=0&status=lost&petkit=1'],
        [credentials.schemeAround, '/pets?status=available'],
        [credentials.emptyToken, '/pets?limit=100'],
        [credentials.dotsReplaced],
        [credentials.wrongKey, path],
        [credentials.tokenScheme, '/pets?limit=2&status=pending'],
        [credentials.bareKey, '/pets?status=sold'],
        [credentials.keyAndWord],
        [credentials.lengthenedKey],
        [credentials.prefixedKey],
        [credentials.otherCaseKey],
        [credentials.cutKey],
        [credentials.keyInQuery],
        ...cookiesOf(listed),
      ]
      const plans = requests.map(([credential, path = '/pets?limit=1']) => ({
        method: 'GET',
        path,
        credential,
      }))
      // Valid requests at the same time must not make invalid ones succeed.
      await rejectAll(session, session.sample(plans, [0, 6]), { 2: path, 7: path })
    },
  },
  {
    id: 'access.get-pet',
    title: 'GET /pets/{petId} without a valid key returns 401, whether the pet exists or not',
    stage: 'access',
    smoke: { writes: 0 },
    requirements: ['get.401', 'auth.missing-key', 'auth.invalid-key'],
    async run(session) {
      if (session.run.getRemoved) throw new GetRemoved()
      const [one] = [...session.log.created, ...session.log.catalog.first()]
      const known = String(one?.pet.id ?? unknownId)
      // From now on, a cache may hold this pet; at the depth `smoke`, one of the run was just fetched.
      const wasFetched = session.run.options.depth === 'smoke' && session.log.created.length > 0
      if (one && !wasFetched) await session.get(one.pet.id)
      const requests: [Credential, id: string][] = [
        [credentials.noHeader, known],
        [credentials.emptyToken, negativeId],
        [credentials.wordNull, `${known}?limit=1`],
        [credentials.pattern, unknownId],
        [credentials.basicPair, known],
        [credentials.otherHeader, known],
        [credentials.apiKeyScheme, known],
        [credentials.bareKey, known],
        [credentials.schemeAround, known],
        // Each operation may compare keys in a way of its own.
        [credentials.otherCaseKey, known],
        [credentials.lengthenedKey, known],
        [credentials.cutKey, known],
        [credentials.keyInCookies, known],
      ]
      const plans = requests.map(([credential, id]) => ({
        method: 'GET',
        path: `/pets/${id}`,
        credential,
      }))
      await rejectAll(session, session.sample(plans, [0]))
    },
  },
  {
    id: 'access.create-pet',
    title: 'POST /pets without a valid key returns 401, before the body is judged',
    stage: 'access',
    smoke: { writes: 0 },
    requirements: ['create.401', 'auth.missing-key', 'auth.invalid-key'],
    sendsInvalidBodies: true,
    async run(session) {
      const valid = (): string => validBody(session)
      const requests: [Credential, body?: string, mediaType?: string][] = [
        // The first one that gets no response is sent again, which must create no pet.
        [credentials.noHeader, ''],
        [credentials.emptyHeader, '{"status":"sold"}', 'text/plain'],
        [credentials.emptyToken, '{"name":'],
        [credentials.nearEndReplaced],
        [credentials.schemeAround],
        [credentials.bareKey],
        [credentials.cutKey],
        [credentials.otherCaseKey],
        [credentials.lengthenedKey],
        [credentials.withoutPunctuation],
        [credentials.keyInFields],
        [credentials.keyInForm],
      ]
      const plans = requests.map(([credential, body = valid(), mediaType]): ProtectedPlan =>
        creationWith(credential, body, mediaType),
      )
      await rejectAll(session, session.sample(plans, []), {}, [sendWithoutKey(session)])
    },
  },
]

const validBody = ({ run }: Session): string =>
  `{"name":"${run.nextName()}","categoryId":${categoryFor(run).id},"status":"${rarestStatus(run)}"}`

const creationWith = (
  credential: Credential,
  body: string,
  mediaType = 'application/json',
): ProtectedPlan => ({
  method: 'POST',
  path: '/pets',
  credential,
  body,
  headers: { 'content-type': mediaType },
})

/** Sends an ordinary creation without a key once: beside accepted ones, whose connections may be trusted for a while. */
export const sendWithoutKey = (session: Session): Promise<Unauthorized | undefined> =>
  session.run.once('a creation without a key', () => {
    const plan = creationWith(credentials.noHeader, validBody(session))
    return sendUnauthorized(session, withAcceptHeader(plan, 1))
  })

/** For targets that begin a session with an accepted key. */
function cookiesOf(accepted?: Exchange): [Credential][] {
  const cookies = accepted?.headers['set-cookie']
  if (cookies === undefined) return []
  // The date of an Expires has a comma, too.
  const pairs = cookies.split(/,\s*(?=[^\s;,=]+=)/).map((cookie) => cookie.split(';', 1)[0])
  return [
    [
      {
        name: 'only cookies of accepted requests',
        field: 'cookie',
        header: () => pairs.join('; '),
        shell: '$COOKIES',
      },
    ],
  ]
}

/**
 * @param amid the lists that are requested with the valid key at the same time, by index
 * @param others requests that were sent before
 */
async function rejectAll(
  session: Session,
  all: readonly ProtectedPlan[],
  amid: Readonly<Record<number, string>> = {},
  others: readonly Promise<Unauthorized | undefined>[] = [],
): Promise<void> {
  const list = async (path: string): Promise<undefined> => void (await session.list(path))
  const sent = all.flatMap((plan, index) => [
    ...(amid[index] === undefined ? [] : [list(amid[index])]),
    sendUnauthorized(session, withAcceptHeader(plan, index)),
  ])
  const { results, rethrow } = await collectAll<Unauthorized | undefined>([...others, ...sent])
  const responses = results.flatMap((response) => response ?? [])
  for (const response of responses) reportAccepted(session, response, responses)
  rethrow()
}

type ProtectedPlan = Plan & { credential: Credential }

const missing = new Set<Credential>([
  credentials.noHeader,
  credentials.emptyHeader,
  credentials.emptyToken,
  credentials.keyInQuery,
  credentials.keyInFields,
  credentials.keyInForm,
])
/** To some services, their form is a bad request. */
const mayBeBad = new Set<Credential>([
  credentials.keyAndWord,
  credentials.keyInQuery,
  credentials.keyInCookies,
])

/** A response to a request without a valid key. */
type Unauthorized = Exchange & { plan: ProtectedPlan }

export async function expectRejected(session: Session, plan: ProtectedPlan): Promise<void> {
  const response = await sendUnauthorized(session, plan)
  if (response) reportAccepted(session, response, [response])
}

const brokenBy = ({ credential }: ProtectedPlan): RequirementId =>
  missing.has(credential) || credential.field === 'cookie' ? 'auth.missing-key' : 'auth.invalid-key'

const requirementOf = ({ method, path }: Plan): RequirementId =>
  operations[operationOf(method, path) as OperationId].unauthorized

/** Sends a request, unless it would have a valid key, or would show the key to logs. */
async function sendUnauthorized(
  session: Session,
  plan: ProtectedPlan,
): Promise<Unauthorized | undefined> {
  const { credential, method } = plan
  const { baseUrl, headers } = session.run.options
  const { current: apiKey } = session.run.keys
  // Some keys have no letters to change, so that the credential would be the valid key.
  if (credential.header(apiKey) === credentials.validKey.header(apiKey)) return undefined
  // A gateway needs the headers of --header: without its own one, it would respond instead of the service.
  if (credential.field !== undefined && credential.field in headers) return undefined
  if (credential === credentials.keyInQuery && !isLoopback(new URL(baseUrl).hostname))
    return undefined
  // Servers take 8 kB of headers or more, and five cookies carry the key.
  if (credential === credentials.keyInCookies && apiKey.length > 1_000) return undefined
  const sent = credential.carry?.(plan, '') ?? plan
  if (credential.carry && sent === plan) return undefined
  const requirement = requirementOf(plan)
  const demand: Demand = { requirement, alsoBreaks: [brokenBy(plan)], expected: 401 }
  const response = await (method === 'POST'
    ? sendInvalid(session, plan, demand)
    : session.send(plan, demand))
  // A firewall before the service looks at no key, and may take only JSON, or no creations.
  if (response.status === 403 && method === 'POST') {
    const isJson = (sent.headers?.['content-type'] ?? 'json').includes('json')
    const withKey = {
      ...sent,
      credential: credentials.validKey,
      // Creates no pet where no firewall is in the way.
      body: isJson ? '{}' : sent.body,
    }
    if ((await sendInvalid(session, withKey, { requirement, expected: 403 })).status === 403) {
      session.findings.note(
        `${describe(response)}, and so it does with the valid key: perhaps a firewall rejects it.`,
      )
      return undefined
    }
  }
  return { ...response, plan }
}

const isRejected = ({ status, plan }: Unauthorized): boolean =>
  status === 401 || (status === 400 && mayBeBad.has(plan.credential))
/** Whether more than the key is wrong with a request. */
const isFaulty = ({ path, body }: Plan): boolean =>
  path.includes('limit=0') ||
  [unknownId, negativeId].some((id) => path === `/pets/${id}`) ||
  body?.includes('categoryId') === false
/** Whether a response shows that a request was accepted although its bearer token, or an empty one, is wrong. */
const acceptsWrongKey = ({ plan: { credential }, status }: Unauthorized): boolean =>
  status < 400 && (isWrongKey(credential) || credential === credentials.emptyToken)
/** Whether a response may come from a check of the key: what else is wrong with a request explains others. */
const mayReject = (response: Unauthorized): boolean =>
  !acceptsWrongKey(response) && (response.status === 401 || !isFaulty(response.plan))
const isWrongKey = (credential: Credential): boolean =>
  /^Bearer ./.test(credential.header('key') ?? '') && credential !== credentials.emptyToken
/** The fewest wrong keys that say something about all of them: a comparison of beginnings accepts two, a shorter key and a longer one. */
const several = 3

/** @param all the responses to such requests of the operation */
function reportAccepted(
  session: Session,
  response: Unauthorized,
  all: readonly Unauthorized[],
): void {
  if (isRejected(response)) return
  const { plan, status } = response
  const [requirement, broken] = [requirementOf(plan), brokenBy(plan)]
  const alike = all.filter((one) => brokenBy(one.plan) === broken)
  const wrongKeys = all.filter((one) => isWrongKey(one.plan.credential))
  const isEach =
    wrongKeys.length >= several && !wrongKeys.some(mayReject) && acceptsWrongKey(response)
  const isMissing = broken === 'auth.missing-key'
  // Where every other token is accepted, an empty one says no more.
  if (isEach && isMissing && alike.some(isRejected)) return
  const isEarly =
    isFaulty(plan) &&
    [400, 404, 415, 422].includes(status) &&
    alike.some((one) => !isFaulty(one.plan) && one.status === 401)
  const seen = `${describe(response)} instead of 401`
  const early = `${seen}: the key must be checked ${plan.body === undefined ? 'first' : 'before the body'}.`
  const usual = isEach && !isMissing ? `Wrong keys are accepted: ${seen}.` : `${seen}.`
  // An accepted wrong key is about authentication in the first place.
  const [first, second] = isMissing ? [requirement, broken] : [broken, requirement]
  const isEmptyAccepted =
    isEach &&
    all.some((one) => one.plan.credential === credentials.emptyToken && acceptsWrongKey(one))
  const alsoMissing = isEmptyAccepted ? (['auth.missing-key'] as const) : []
  session.report(
    wrongStatus(response, first, 401, {
      message: isEarly ? early : usual,
      alsoBreaks: status < 400 ? [second, 'auth.required', ...alsoMissing] : [second],
      cause: `${requirement}, ${status < 400 ? `accepted by ${broken}` : `status ${status}`}`,
    }),
  )
}
