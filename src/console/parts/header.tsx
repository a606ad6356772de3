import { useEffect } from 'preact/hooks'
import type { ControlSchemas } from '../../control.gen.ts'
import { mockUrl, sandbox, sandboxOfToken } from '../state/api.ts'
import { connection, restarts } from '../state/live.ts'
import { useResource } from '../state/resource.ts'
import { enter } from '../state/route.ts'
import { remembered, useCell } from '../state/store.ts'
import { Copy } from './copy.tsx'
import { Snapshots } from './snapshots.tsx'

const theme = remembered(localStorage, 'petstore-theme', 'auto')

const connections = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Connection lost. Trying again…',
}

/** The header of every screen: base URL, connection, sandbox and theme. */
export function Header() {
  const { data: settings } = useResource<ControlSchemas['Settings']>('/settings')
  const state = useCell(connection)
  const restarted = useCell(restarts)
  const baseUrl = mockUrl + (settings?.basePath ?? '')
  return (
    <header class="top">
      <p class="brand" title={settings?.proxyOf}>
        Pet Store {settings?.proxyOf === undefined ? 'mock' : 'proxy'}
      </p>
      <p class="base" hidden={settings === undefined}>
        <code>{baseUrl}</code>
        <Copy text={baseUrl} what="the base URL" />
      </p>
      <p class={`connection ${state}`} role="status" hidden={settings === undefined}>
        <span aria-hidden="true" class="dot" />
        {connections[state]}
        {restarted > 0 && state === 'live' && <span class="soft"> The mock was restarted.</span>}
      </p>
      {settings !== undefined && settings.proxyOf === undefined && (
        <>
          <SandboxSwitch />
          <Snapshots />
        </>
      )}
      <ThemeSwitch />
    </header>
  )
}

/** The sandboxes in the menu: those in use. The screen Sandboxes has all. */
const mostNames = 500

/** Chooses the sandbox that all screens show. */
function SandboxSwitch() {
  const chosen = useCell(sandbox)
  const { data } = useResource<ControlSchemas['Sandboxes']>('/sandboxes')
  const names = data?.sandboxes.slice(-mostNames).map(({ name }) => name) ?? []
  const all = chosen === '' || names.includes(chosen) ? names : [...names, chosen]
  return (
    <label class="inline">
      <span class="wide">Sandbox</span>
      <select
        aria-label="Sandbox"
        value={chosen}
        onChange={(event) => enter(event.currentTarget.value)}
      >
        {sandboxOfToken() === '' && <option value="">main</option>}
        {all.toSorted().map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function ThemeSwitch() {
  const chosen = useCell(theme)
  useEffect(() => {
    document.documentElement.dataset['theme'] = chosen
  }, [chosen])
  return (
    <select
      aria-label="Theme"
      value={chosen}
      onChange={(event) => theme.set(event.currentTarget.value)}
    >
      <option value="auto">Theme: auto</option>
      <option value="light">Theme: light</option>
      <option value="dark">Theme: dark</option>
    </select>
  )
}
