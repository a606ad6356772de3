import type { Check } from '../check.ts'
import * as present from '../credentials.ts'
import type { Credential } from '../credentials.ts'
import { asClient } from '../exchange.ts'
import type { Exchange, Plan } from '../exchange.ts'
import { NotVerified } from '../findings.ts'
import type { ClauseId } from '../../spec/clauses.ts'
import { categoryFor, rarestStatus, sendInvalid } from '../creation.ts'
import { describe } from '../expect.ts'
import type { Demand } from '../expect.ts'
import type { Session } from '../session.ts'
import { settle } from '../waiting.ts'

/** A valid integer that a catalogue is most unlikely to know. */
const unknownId = '8714055236174310993'

interface Probe {
  plan: Plan
  /** What is wrong with the credential: `auth.missing-key` or `auth.invalid-key`. */
  clause: 'auth.missing-key' | 'auth.invalid-key'
  /** The clause of the operation. */
  operation: ClauseId
}

/** Requests without a valid key: 401 with an Error body, whatever else is wrong with them. */
export const accessChecks: Check[] = [
  {
    id: 'access.list-pets',
    // The connections of the run are open, and have carried the key before; so have the paths that are asked for here.
    title: 'GET /pets without a valid key answers 401, also over a connection that was let in before',
    stage: 'access',
    clauses: ['list.401', 'auth.missing-key', 'auth.invalid-key', 'auth.required'],
    writes: 0,
    async run(session) {
      const probe = (credential: Credential, path = '/pets?limit=1'): Probe => ({
        plan: { method: 'GET', path, credential },
        clause: missing(credential),
        operation: 'list.401',
      })
      // Each credential meets another form of the request, so that no form of it is left open.
      const probes = [
        probe(present.noHeader, '/pets'),
        probe(present.noHeader, '/pets?limit=0&status=lost'),
        probe(present.emptyHeader, '/pets?status=available'),
        probe(present.emptyToken, '/pets?limit=100'),
        probe(present.unknownKey, '/pets?status=sold'),
        probe(present.wrongKey, '/pets?limit=50'),
        probe(present.tokenScheme, '/pets?limit=2&status=pending'),
        probe(present.bareKey),
        probe(present.cutKey),
        probe(present.lengthenedKey),
        probe(present.prefixedKey),
        probe(present.otherCaseKey),
      ]
      // While requests with the key are under way, others are let in no more than before.
      await refuseAll(session, probes, [1, 6])
    },
  },
  {
    id: 'access.get-pet',
    title: 'GET /pets/{petId} without a valid key answers 401, whether the pet exists or not',
    stage: 'access',
    clauses: ['get.401', 'auth.missing-key', 'auth.invalid-key'],
    writes: 0,
    async run(session) {
      if (session.run.getRemoved) throw new NotVerified('getPet has been removed')
      const probe = (credential: Credential, id: string): Probe => ({
        plan: { method: 'GET', path: `/pets/${id}`, credential },
        clause: missing(credential),
        operation: 'get.401',
      })
      const [own] = session.run.created
      const [first] = session.run.catalog.first()
      // A pet that was read before with the key, so that a cache may hold it.
      const id = String(own?.pet.id ?? first?.pet.id ?? unknownId)
      await refuseAll(session, [
        probe(present.noHeader, id),
        probe(present.emptyToken, unknownId),
        probe(present.unknownKey, id),
        probe(present.wrongKey, unknownId),
        probe(present.apiKeyScheme, id),
        probe(present.bareKey, id),
        probe(present.otherCaseKey, id),
      ])
    },
  },
  {
    id: 'access.create-pet',
    title: 'POST /pets without a valid key answers 401, before the body is judged',
    stage: 'access',
    clauses: ['create.401', 'auth.missing-key', 'auth.invalid-key'],
    writes: 0,
    sendsInvalidBodies: true,
    async run(session) {
      const valid = (): string =>
        `{"name":"${session.run.nextName()}","categoryId":${categoryFor(session.run).id},"status":"${rarestStatus(session.run)}"}`
      const probe = (credential: Credential, body: string, mediaType = 'application/json'): Probe => ({
        plan: { method: 'POST', path: '/pets', credential, body, headers: { 'content-type': mediaType } },
        clause: missing(credential),
        operation: 'create.401',
      })
      await refuseAll(session, [
        probe(present.noHeader, valid()),
        probe(present.noHeader, '{"status":"sold"}', 'text/plain'),
        probe(present.emptyToken, '{"name":'),
        probe(present.unknownKey, valid()),
        probe(present.basicScheme, valid()),
        probe(present.bareKey, valid()),
        probe(present.cutKey, valid()),
        probe(present.lengthenedKey, valid()),
        probe(present.otherCaseKey, valid()),
      ])
    },
  },
]

const missing = (credential: Credential): Probe['clause'] =>
  [present.noHeader, present.emptyHeader, present.emptyToken].includes(credential)
    ? 'auth.missing-key'
    : 'auth.invalid-key'

/** @param amid the probes right before which a request with the key is sent. */
async function refuseAll(session: Session, all: readonly Probe[], amid: readonly number[] = []): Promise<void> {
  const { apiKey } = session.run.options
  // A key without letters has no other letter case, and one without letters and digits no likeness.
  const probes = all
    .map((probe, index) => ({ ...probe, plan: asClient(probe.plan, index) }))
    .filter(({ plan }) => plan.credential?.header(apiKey) !== present.validKey.header(apiKey))
  const withKey: Promise<unknown>[] = []
  const probing = probes.map(({ plan, clause, operation }, index) => {
    if (amid.includes(index)) withKey.push(session.list('/pets?limit=1', { atMost: 1 }))
    const what = `${plan.method} ${plan.path} with ${plan.credential?.name}`
    const demand: Demand = { clause: operation, alsoBreaks: [clause], what, expected: 'status 401' }
    return plan.method === 'POST' ? sendInvalid(session, plan, demand) : session.send(plan, demand)
  })
  const [{ results, expectAll }, others] = await Promise.all([settle(probing), settle(withKey)])
  for (const [index, probe] of probes.entries()) {
    const answer = results[index]
    if (answer !== undefined) expectRefused(session, answer, probe)
  }
  expectAll()
  others.expectAll()
}

function expectRefused(session: Session, answer: Exchange, { clause, operation }: Probe): void {
  if (answer.status === 401) return
  session.report({
    clause: operation,
    alsoBreaks: answer.status < 400 ? [clause, 'auth.required'] : [clause],
    message: `${describe(answer)} instead of 401.`,
    expected: 'status 401',
    actual: `status ${answer.status}`,
    exchanges: [answer],
    cause: answer.status < 400 ? `accepted by ${clause}` : `answers ${answer.status}`,
  })
}
