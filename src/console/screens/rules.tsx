import { useEffect } from 'preact/hooks'
import { printJson } from '../../json.ts'
import type { Rule, RuleInForce, RuleStep } from '../../mock/schemas/schemas.gen.ts'
import { inert } from '../../report/text.ts'
import { Copy } from '../parts/copy.tsx'
import { download } from '../parts/files.tsx'
import { Empty, Head, Waiting } from '../parts/layout.tsx'
import { change, changeWithUndo, useResource } from '../state/resource.ts'
import { href, useRoute } from '../state/route.ts'
import { toMockUse } from './mock-use.ts'
import { RuleForm } from './rule-form.tsx'

/** Frequently used rules. */
const presets: readonly { name: string; about: string; rule: Rule }[] = [
  {
    name: 'Unavailable',
    about: '503 for the next two requests',
    rule: { reply: { status: 503 }, times: 2 },
  },
  { name: 'Slow', about: 'every response is delayed by 2 s', rule: { delayMs: 2_000 } },
  {
    name: 'Slow network',
    about: 'half within 80 ms, 1 in 100 beyond 900 ms',
    rule: { delayMs: { median: 80, p99: 900 } },
  },
  {
    name: 'Rate limit',
    about: '3 requests per second, then 429',
    rule: { rateLimit: { requests: 3, windowMs: 1_000 } },
  },
  {
    name: 'Connection reset',
    about: 'the next request loses its connection',
    rule: { fault: 'reset', times: 1 },
  },
  {
    name: 'Silence',
    about: 'the next request never gets a response',
    rule: { fault: 'silence', times: 1 },
  },
  {
    name: 'Cut body',
    about: 'the next response ends in the middle',
    rule: { fault: 'truncated-body', times: 1 },
  },
  {
    name: 'Outage',
    about: '503 for five seconds',
    rule: { reply: { status: 503 }, during: { forMs: 5_000 } },
  },
]

/** Errors, delays and faults: presets, active rules, and a form for others. */
export function Rules() {
  const { id } = useRoute()
  const { data, error } = useResource<{ rules: RuleInForce[] }>('/rules')
  useEffect(() => {
    if (id !== undefined && data !== undefined) document.getElementById(id)?.scrollIntoView()
  }, [id, data])
  const rules = data?.rules ?? []
  // Functions cannot be exported.
  const plain = rules.filter((rule) => rule.function === undefined).map(withoutState)
  const code = rules.length === 0 ? '' : toMockUse(plain)
  return (
    <>
      <Head
        title="Rules and faults"
        lead="Rules change the response to matching requests. The newest rule is applied first."
      >
        <button
          type="button"
          disabled={rules.length === 0}
          onClick={() => download('rules.json', `${printJson(plain, 2)}\n`)}
        >
          Export
        </button>
        <Copy text={code} what="the rules as mock.use" label="Copy as mock.use" />
        <button
          type="button"
          disabled={rules.length === 0}
          onClick={() => removeRules('Removed all rules.', '/rules', rules)}
        >
          Remove all
        </button>
      </Head>
      <section class="stack" aria-label="Presets">
        <ul class="presets">
          {presets.map(({ name, about, rule }) => (
            <li key={name}>
              <button
                type="button"
                onClick={() =>
                  void change(
                    `${name}: ${about}. Applies from the next request on.`,
                    'POST',
                    '/rules',
                    rule,
                  )
                }
              >
                <strong>{name}</strong>
                <span class="soft">{about}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      {data === undefined ? (
        <Waiting error={error} />
      ) : rules.length === 0 ? (
        <Empty title="No rules: every response is normal">
          <p>Select a preset, write a rule below, or create one from a request.</p>
        </Empty>
      ) : (
        <ul class="stack" aria-label="Active rules">
          {rules.toReversed().map((rule) => (
            <RuleCard key={rule.id} rule={rule} isOpen={rule.id === id} />
          ))}
        </ul>
      )}
      <RuleForm />
    </>
  )
}

function RuleCard({ rule, isOpen }: { rule: RuleInForce; isOpen: boolean }) {
  const { id, used, enabled, active, remaining, nearest } = rule
  return (
    <li id={id} class={isOpen ? 'card rule is-open' : 'card rule'}>
      <div class="head">
        <p>
          <code>{id}</code> <strong>{describe(rule)}</strong>{' '}
          <span class={active ? 'tag good' : 'tag'}>
            {active ? 'active' : enabled ? 'over' : 'off'}
          </span>{' '}
          <span class="soft">
            used {used} {used === 1 ? 'time' : 'times'}
            {remaining !== undefined && `, ${remaining} left`}
          </span>
        </p>
        <div class="actions">
          <button
            type="button"
            class="small"
            aria-label={`Switch ${enabled ? 'off' : 'on'} ${id}`}
            onClick={() =>
              void change(`${id} is ${enabled ? 'off' : 'on'}.`, 'PATCH', `/rules/${id}`, {
                enabled: !enabled,
              })
            }
          >
            Switch {enabled ? 'off' : 'on'}
          </button>
          <button
            type="button"
            class="small danger"
            aria-label={`Remove ${id}`}
            onClick={() => removeRules(`Removed ${id}.`, `/rules/${id}`, [rule])}
          >
            Remove
          </button>
        </div>
      </div>
      {nearest !== undefined && (
        <p class="soft">
          No request has used it. {inert(nearest.message)}{' '}
          <a href={href('requests', nearest.number)}>Open #{nearest.number}</a>
        </p>
      )}
      <pre tabIndex={0} aria-label={`${id} as JSON`}>
        <code>{printJson(withoutState(rule))}</code>
      </pre>
    </li>
  )
}

/** Asks first if Undo cannot restore the rules: functions cannot be added here, and added rules are switched on. */
export function removeRules(done: string, path: string, rules: readonly RuleInForce[]): void {
  const removal = [done, 'DELETE', path] as const
  if (rules.every((rule) => rule.function === undefined && rule.enabled)) {
    void changeWithUndo(removal, [
      'They apply again, as new rules.',
      'POST',
      '/rules',
      rules.map(withoutState),
    ])
  } else if (confirm(`Remove ${rules.map(({ id }) => id).join(', ')}?`)) void change(...removal)
}

/** The rule without its state. */
function withoutState(rule: RuleInForce): Rule {
  const state = new Set(['id', 'function', 'used', 'remaining', 'enabled', 'active', 'nearest'])
  return Object.fromEntries(Object.entries(rule).filter(([name]) => !state.has(name)))
}

/** A short description of a rule. */
function describe(rule: RuleInForce): string {
  const { when, sequence, rateLimit, function: name } = rule
  const parts = [
    ...(name === undefined ? [] : [`what the function ${name} returns`]),
    ...effectsOf(rule),
    ...(sequence === undefined
      ? []
      : [sequence.map((step) => effectsOf(step).join(' and ') || 'ordinary').join(', then ')]),
    ...(rateLimit === undefined
      ? []
      : [`${rateLimit.requests} requests in ${rateLimit.windowMs} ms`]),
  ]
  const { operation = [], ...conditions } = when ?? {}
  const requests = [operation].flat().join(', ') || 'every request'
  const names = Object.keys(conditions).join(', ')
  return `${requests}${names && ` with ${names}`}: ${parts.join(', ')}`
}

function effectsOf({ reply, delayMs, fault }: RuleStep): string[] {
  const delay = typeof delayMs === 'object' ? Object.values(delayMs).join(' to ') : delayMs
  return [
    ...(reply === undefined ? [] : [`responds ${reply.status}`]),
    ...(delay === undefined ? [] : [`delayed by ${delay} ms`]),
    ...(fault === undefined
      ? []
      : [typeof fault === 'string' ? fault : `body takes ${fault.slowBodyMs} ms`]),
  ]
}
