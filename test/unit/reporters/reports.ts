/** Sample reports for the tests of reporters. */
import type { Finding, Report } from '../../../src/contract/index.ts'
import { behaviors } from '../../../src/spec/behaviors.ts'
import {
  type Requirement,
  type RequirementId,
  requirements,
} from '../../../src/spec/requirements.ts'

/** Text with a special meaning on a terminal, in XML, HTML, Markdown, SARIF or a workflow command. */
export const hostile = [
  '\u001b[31mred\u001b[0m \u009b2J \u0000 \u0008 \u007f',
  '\r\n::error title=x::injected\n##[error]injected %0A::warning::injected',
  '<script>alert(1)</script> <img src=x onerror=alert(1)> </pre></code> <!-- &lt;b&gt; ]]> <![CDATA[',
  '![pixel](https://evil.example/p.png) [link](https://evil.example) www.evil.example @octocat #1 GH-1 :tada: **bold**',
  '` `` ``` ```` | a | b | $x$ ~~~ \n# heading\n---\n* item',
  ' # not a heading \\# {0} {{1}}',
  '\u202eevil\u202c \u2066x\u2069 \u200b\u200d\ufeff \u2028 \ud800 \udfff \uffff \u{e0041}',
  '\u3164 \u115f \u2800 \ufe0f \ue000 \u{f0000} \u{e0100} \uffa0 \u034f',
  `"quotes" 'and' "more'`,
].join(' ')

/** A report with every testable requirement verified. */
export function conforming(): Report {
  const results = (requirements as readonly Requirement[]).map(
    ({ id, section, quote, untestable }) => ({
      id: id as RequirementId,
      section,
      quote,
      ...(untestable === undefined
        ? { verdict: 'verified' as const, checks: ['some.check'] }
        : { verdict: 'not-applicable' as const, checks: [], reason: untestable }),
    }),
  )
  const report: Report = {
    schemaVersion: 1,
    kit: '1.2.3',
    target: 'http://127.0.0.1:4010/v1',
    startedAt: '2026-11-20T12:00:00.000Z',
    durationMs: 812,
    verdict: 'conforms',
    exitCode: 0,
    counts: {
      verified: 0,
      violated: 0,
      notVerified: 0,
      notApplicable: 0,
      requests: 118,
      writes: 14,
    },
    requirements: results,
    findings: [],
    profile: Object.fromEntries(behaviors.map(({ id }) => [id, 'unknown'])) as Report['profile'],
    evidence: {},
    notes: [],
  }
  return counted({
    ...report,
    profile: { ...report.profile, 'list.order': 'by-id' },
    evidence: { 'list.order': 'GET /pets' },
  })
}

/** A report with these findings and an unverified requirement. */
export function violating(findings: readonly Partial<Finding>[] = [{}]): Report {
  const report = conforming()
  const all = findings.map((finding) => ({ ...ordinaryFinding, ...finding }))
  const broken = new Set(all.flatMap(({ requirement, alsoBreaks }) => [requirement, ...alsoBreaks]))
  const results = report.requirements.map((requirement) => {
    if (broken.has(requirement.id))
      return { ...requirement, verdict: 'violated' as const, checks: ['some.check'] }
    const { id, section, quote } = requirement
    if (id !== 'list.limit.max') return requirement
    return {
      id,
      section,
      quote,
      verdict: 'not-verified' as const,
      checks: [],
      reason: 'the catalogue has fewer than 101 pets',
    }
  })
  return counted({
    ...report,
    requirements: results,
    findings: all,
    verdict: 'violates',
    exitCode: 1,
  })
}

/** A report of an unreachable target. */
export function unreachable(): Report {
  const report = conforming()
  const reason = 'the target cannot be reached: nothing listens there'
  const results = report.requirements.map((requirement) =>
    requirement.verdict === 'verified'
      ? { ...requirement, verdict: 'not-verified' as const, checks: [], reason }
      : requirement,
  )
  return counted({ ...report, requirements: results, verdict: 'not-verified', exitCode: 3, reason })
}

/** A report whose only violation is a known failure of the baseline. */
export function excused(): Report {
  const known = {
    requirement: 'list.limit.respected' as const,
    reason: 'Being mended',
    ticket: 'PET-42',
    expires: '2027-01-31',
  }
  const report = violating([{ known }])
  const old = {
    requirement: 'list.success' as const,
    reason: 'It was broken',
    expires: '2026-01-31',
  }
  return {
    ...report,
    verdict: 'conforms',
    exitCode: 0,
    counts: { ...report.counts, violated: 0, known: 1 },
    baseline: { known: [known], expired: [old], stale: [{ ...old, expires: '2027-01-31' }] },
  }
}

/** A report with a known failure that several responses show, and with a new finding beside it. */
export function partlyExcused(fresh: Partial<Finding>): Report {
  const [known] = excused().findings as [Finding]
  const found = { ...known, kind: 'excess' as const, more: 7 }
  const { known: _, ...news } = { ...found, more: 0, message: 'The page is new.', ...fresh }
  return violating([found, news])
}

/** A report with `text` in every field that a target controls. */
export function echoing(text: string): Report {
  const finding: Partial<Finding> = {
    message: `The pet is called ${text}.`,
    pointer: `/0/${text}`,
    expected: text,
    actual: text,
    more: 2,
    conforming: {
      response: {
        status: 200,
        headers: { 'content-type': text },
        body: JSON.stringify([{ name: text }]),
      },
      differences: [
        { part: 'content-type', conforming: text, actual: text },
        {
          part: 'body',
          pointer: `/0/${text}`,
          conformingPointer: '/0/name',
          conforming: text,
          actual: text,
        },
        { part: 'body', conforming: text, actual: text },
      ],
    },
    exchanges: [
      {
        request: {
          method: 'POST',
          url: `http://127.0.0.1:4010/v1/pets?x=${text}`,
          headers: { 'x-sent': text },
          body: text,
        },
        response: {
          status: 201,
          headers: { 'x-came': text, [text]: 'as a name' },
          body: text,
          bodyCut: true,
        },
        curl: `curl '${text}'`,
      },
    ],
  }
  const known = {
    requirement: 'list.success' as const,
    reason: text,
    ticket: text,
    expires: '2027-01-31',
  }
  const report = violating([finding, { ...finding, requirement: 'list.success', known }])
  return {
    ...report,
    target: `http://127.0.0.1:4010/${text}`,
    requirements: report.requirements.map((requirement) =>
      requirement.verdict === 'not-verified' ? { ...requirement, reason: text } : requirement,
    ),
    profile: { ...report.profile, 'error.code.404': text },
    evidence: { 'error.code.404': text },
    notes: [text],
    drift: [{ id: 'error.code.404', expected: text, actual: text, evidence: text }],
    baseline: { known: [known], expired: [known], stale: [known] },
  }
}

const ordinaryFinding: Finding = {
  requirement: 'list.limit.respected',
  alsoBreaks: [],
  check: 'list-pets.limit',
  during: 'list-pets.limit',
  message: 'GET /pets?limit=2 returns 20 pets, at most 2 allowed.',
  pointer: '',
  expected: 'at most 2 pets',
  actual: '20 pets',
  more: 0,
  exchanges: [
    {
      request: {
        method: 'GET',
        url: 'http://127.0.0.1:4010/v1/pets?limit=2',
        headers: { authorization: 'Bearer $PETSTORE_API_KEY' },
      },
      response: { status: 200, headers: { 'content-type': 'application/json' }, body: '[]' },
      curl: `curl -sS -i 'http://127.0.0.1:4010/v1/pets?limit=2' -H "Authorization: Bearer $PETSTORE_API_KEY"`,
    },
  ],
}

function counted(report: Report): Report {
  const count = (wanted: string): number =>
    report.requirements.filter(({ verdict }) => verdict === wanted).length
  const counts = {
    ...report.counts,
    verified: count('verified'),
    violated: count('violated'),
    notVerified: count('not-verified'),
    notApplicable: count('not-applicable'),
  }
  return { ...report, counts }
}

/** A minimal finding of a JSON report, to be extended by tests. */
export const anyFinding = {
  requirement: 'list.success',
  alsoBreaks: [],
  check: 'x',
  during: 'x',
  message: 'x',
  pointer: '',
  expected: '',
  actual: '',
  more: 0,
  exchanges: [
    {
      request: { method: 'GET', url: 'http://petstore.invalid/v1/pets', headers: {} },
      response: { status: 200, headers: {}, body: '' },
      curl: 'curl',
    },
  ],
}

export const everyReport: Readonly<Record<string, Report>> = {
  conforming: conforming(),
  violating: violating([{ alsoBreaks: ['list.success'] }, { check: 'other.check' }]),
  excused: excused(),
  'partly excused': partlyExcused({ requirement: 'list.limit.respected' }),
  consequent: partlyExcused({ requirement: 'list.page-full' }),
  unreachable: unreachable(),
  hostile: echoing(hostile),
}
