import { useEffect } from 'preact/hooks'
import { printJson } from '../../../json.ts'
import type { Rule, RuleInForce } from '../../../mock/schemas/schemas.gen.ts'
import { count, inert } from '../../../report/text.ts'
import { Copy } from '../../parts/copy.tsx'
import { Elsewhere } from '../../parts/elsewhere.tsx'
import { download } from '../../parts/files.tsx'
import { Empty, Head, RowButton, Waiting } from '../../parts/layout.tsx'
import { change, changeWithUndo, useResource } from '../../state/resource.ts'
import { href, useRoute } from '../../state/route.ts'
import { toMockUse } from './mock-use.ts'
import { RuleForm } from './form.tsx'
import { sentenceOf } from './words.ts'

/** Errors, delays and faults: a form, and the rules in force. */
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
      <div class="stack form-and-list">
        <RuleForm />
        {data === undefined ? (
          <Waiting error={error} />
        ) : rules.length === 0 ? (
          <Empty title="No rules: every response is normal">
            <p>Write one, or make one from a request.</p>
          </Empty>
        ) : (
          <ul class="stack" aria-label="Active rules">
            {rules.toReversed().map((rule) => (
              <RuleCard key={rule.id} rule={rule} isOpen={rule.id === id} />
            ))}
          </ul>
        )}
      </div>
    </>
  )
}

function RuleCard({ rule, isOpen }: { rule: RuleInForce; isOpen: boolean }) {
  const { id, used, enabled, active, remaining, nearest } = rule
  return (
    <li id={id} class={isOpen ? 'card rule is-open' : 'card rule'}>
      <div class="head">
        <p>
          <code>{id}</code> <strong>{inert(sentenceOf(rule))}</strong>{' '}
          <span class={active ? 'tag good' : 'tag'}>
            {active ? 'active' : enabled ? 'over' : 'off'}
          </span>{' '}
          <span class="soft">
            used {count(used, 'time')}
            {remaining !== undefined && `, ${remaining} left`}
          </span>
        </p>
        <div class="actions">
          {(active || !enabled) && (
            <RowButton
              verb={`Switch ${enabled ? 'off' : 'on'}`}
              name={id}
              onClick={() =>
                change(`${id} is ${enabled ? 'off' : 'on'}.`, 'PATCH', `/rules/${id}`, {
                  enabled: !enabled,
                })
              }
            />
          )}
          <RowButton
            verb="Remove"
            name={id}
            kind="danger"
            onClick={() => removeRules(`Removed ${id}.`, `/rules/${id}`, [rule])}
          />
        </div>
      </div>
      {nearest === undefined && used === 0 && (
        <p class="soft">
          <Elsewhere also=", with its own rules" />
        </p>
      )}
      {nearest !== undefined && (
        <p class="soft">
          No request has used it. {inert(nearest.message)}{' '}
          <a href={href('requests', nearest.number)}>Open #{nearest.number}</a>
        </p>
      )}
      <details>
        <summary class="soft">JSON</summary>
        <pre tabIndex={0} aria-label={`${id} as JSON`}>
          <code>{printJson(withoutState(rule))}</code>
        </pre>
      </details>
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
