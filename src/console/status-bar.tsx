import { useMemo } from 'preact/hooks'
import type { ControlSchemas } from '../control.gen.ts'
import type { RuleInForce } from '../mock/schemas/schemas.gen.ts'
import { count } from '../report/text.ts'
import { sandbox, sandboxOfToken } from './state/api.ts'
import { change, useResource } from './state/resource.ts'
import { href } from './state/route.ts'
import { useCell } from './state/store.ts'
import { removeRules } from './screens/rules/rules.tsx'

/** A clock that differs less was not set. */
const sameMs = 60_000

/** What is switched on in the sandbox, on every screen, each with its off switch. */
export function StatusBar() {
  const name = useCell(sandbox)
  const { data: settings } = useResource<ControlSchemas['Settings']>('/settings')
  const { data: behaviors } = useResource<ControlSchemas['Behaviors']>('/behaviors')
  const { data: clock } = useResource<ControlSchemas['Clock']>('/clock')
  const { data: all } = useResource<{ rules: RuleInForce[] }>('/rules')
  const isMoved = useMemo(
    () => clock !== undefined && Math.abs(Date.parse(clock.now) - Date.now()) > sameMs,
    [clock],
  )
  const rules = all?.rules.filter(({ active }) => active) ?? []
  const defects = settings?.defects ?? []
  const profile: Readonly<Record<string, string | undefined>> = settings?.profile ?? {}
  const changed = behaviors?.behaviors.filter(
    ({ id, default: usual }) => (profile[id] ?? usual) !== usual,
  )
  const isClockSet = clock !== undefined && (clock.frozen || isMoved)
  const isNormal = !isClockSet && rules.length + defects.length + (changed?.length ?? 0) === 0
  return (
    <aside class="status-bar" aria-label="What is switched on">
      <div class="parts">
        <SandboxLink name={name} />
        {isClockSet && (
          <Part
            to={href('time')}
            text={`Clock ${clock.frozen ? 'stopped' : 'set'} ${clock.now.slice(0, 10)}`}
            off="Reset the clock"
            onOff={() => void change('The clock was reset.', 'DELETE', '/clock')}
          />
        )}
        {rules.length > 0 && (
          <Part
            to={href('rules')}
            text={count(rules.length, 'rule')}
            off="Remove all rules"
            onOff={() => removeRules('Removed all rules.', '/rules', all?.rules ?? [])}
          />
        )}
        {changed !== undefined && changed.length > 0 && (
          <Part
            to={href('behavior', undefined, { only: 'changed' })}
            text={`${count(changed.length, 'behavior')} changed`}
            off="Back to the default behavior"
            onOff={() =>
              void change('Every behavior now has its default option.', 'PATCH', '/settings', {
                profile: Object.fromEntries(changed.map((one) => [one.id, one.default])),
              })
            }
          />
        )}
        {defects.length > 0 && (
          <Part
            isBad
            to={href('defects', undefined, { only: 'active' })}
            text={defects.length === 1 ? `Defect ${defects[0]}` : `${defects.length} defects`}
            off="Turn all defects off"
            onOff={() =>
              void change('All deliberate defects are off.', 'PATCH', '/settings', { defects: [] })
            }
          />
        )}
        {isNormal && <span class="soft">Defaults</span>}
      </div>
      <button
        type="button"
        class="small"
        aria-label="Reset the sandbox"
        title="Resets pets, rules, clock, settings and journal. Snapshots stay."
        onClick={() =>
          confirm(`Reset everything in ${name || 'main'}?`) &&
          void change('Reset to the initial state.', 'POST', '/reset')
        }
      >
        Reset
      </button>
    </aside>
  )
}

/** The sandbox, and how many others there are. Its own key shows it alone. */
function SandboxLink({ name }: { name: string }) {
  const { data: all } = useResource<ControlSchemas['Sandboxes']>('/sandboxes?scores=false')
  if (sandboxOfToken() !== '') return <span>{name}</span>
  // Main is not in the list: it is one of the others, or the one that is not.
  const others = all?.sandboxes.length ?? 0
  return (
    <a class="wide" href={href('sandboxes')}>
      {name || 'main'}
      {others > 0 && ` and ${others} other ${others === 1 ? 'sandbox' : 'sandboxes'}`}
    </a>
  )
}

function Part({
  to,
  text,
  off,
  isBad = false,
  onOff,
}: {
  to: string
  text: string
  off: string
  isBad?: boolean
  onOff: () => void
}) {
  return (
    <span class={isBad ? 'part bad' : 'part'}>
      <a href={to}>{text}</a>
      <button type="button" class="plain" aria-label={off} title={off} onClick={onOff}>
        ×
      </button>
    </span>
  )
}
