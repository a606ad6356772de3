import type { FunctionComponent } from 'preact'
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks'
import type { ControlSchemas } from '../control.gen.ts'
import { href, useRoute } from './state/route.ts'
import { Notices } from './state/feedback.tsx'
import { Dialog } from './parts/dialog.tsx'
import { Header } from './parts/header.tsx'
import { TokenForm } from './parts/token-form.tsx'
import { Behaviors } from './screens/behavior.tsx'
import { Defects } from './screens/defects.tsx'
import { Pets } from './screens/pets.tsx'
import { Requests } from './screens/requests/requests.tsx'
import { Rules } from './screens/rules/rules.tsx'
import { Runs } from './screens/runs/runs.tsx'
import { Sandboxes } from './screens/sandboxes.tsx'
import { Scorecard } from './screens/scorecard.tsx'
import { StatusBar } from './status-bar.tsx'
import { TimeTravel } from './screens/time.tsx'
import { sandboxOfToken, token, tokenIsMissing } from './state/api.ts'
import { isSheetOpen, keys, onKey } from './state/keys.ts'
import { useResource } from './state/resource.ts'
import { useCell } from './state/store.ts'

/** All screens, by their name in the URL. */
const screens: Readonly<Record<string, { name: string; Screen: FunctionComponent }>> = {
  requests: { name: 'Requests', Screen: Requests },
  pets: { name: 'Pets', Screen: Pets },
  rules: { name: 'Rules and faults', Screen: Rules },
  time: { name: 'Time', Screen: TimeTravel },
  behavior: { name: 'Behavior', Screen: Behaviors },
  defects: { name: 'Defects', Screen: Defects },
  sandboxes: { name: 'Sandboxes', Screen: Sandboxes },
  scorecard: { name: 'Scorecard', Screen: Scorecard },
  runs: { name: 'Contract run', Screen: Runs },
}

/** The screens of a proxy, which has no pets and sends no requests of its own. */
const ofProxy = new Set(['requests', 'scorecard'])
/** The screens that the key of a sandbox cannot use. */
const ofMock = new Set(['sandboxes', 'runs'])

export function App() {
  const { screen } = useRoute()
  const { data: settings } = useResource<ControlSchemas['Settings']>('/settings')
  const isProxy = settings?.proxyOf !== undefined
  const needsToken = useCell(tokenIsMissing)
  useCell(token)
  const isOwn = sandboxOfToken() !== ''
  const main = useRef<HTMLElement>(null)
  const shown = useRef(screen)
  const { name, Screen } = screens[screen] ?? { name: 'Not found', Screen: NotFound }
  useEffect(() => {
    document.title = `${name} · Pet Store ${isProxy ? 'proxy' : 'mock'}`
    showCurrent()
    // Screen readers announce the new screen.
    if (shown.current !== screen) main.current?.querySelector('h1')?.focus()
    shown.current = screen
  }, [screen, name, isProxy])
  useEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <Header />
      <nav aria-label="Screens">
        <ul>
          {Object.entries(screens)
            .filter(([id]) => (isProxy ? ofProxy.has(id) : !isOwn || !ofMock.has(id)))
            .map(([id, { name }]) => (
              <li key={id}>
                <a href={href(id)} {...(id === screen && { 'aria-current': 'page' })}>
                  {name}
                </a>
              </li>
            ))}
        </ul>
      </nav>
      {!needsToken && settings !== undefined && !isProxy && <StatusBar />}
      <main id="main" ref={main}>
        {needsToken ? (
          <TokenForm />
        ) : isProxy && !ofProxy.has(screen) ? (
          <OfMock name={name} />
        ) : (
          <Guarded key={screen} Screen={Screen} />
        )}
      </main>
      <Notices />
      {useCell(isSheetOpen) && (
        <Dialog title="Keys" onClose={() => isSheetOpen.set(false)}>
          <table>
            {Object.entries(keys).map(([key, does]) => (
              <tr key={key}>
                <th scope="row">
                  <kbd>{key}</kbd>
                </th>
                <td>{does}</td>
              </tr>
            ))}
          </table>
        </Dialog>
      )}
    </>
  )

  /** A plain link would replace the screen in the URL. */
  function skip(event: Event): void {
    event.preventDefault()
    main.current?.querySelector('h1')?.focus()
  }
}

/** A screen that fails must not take the others with it. */
function Guarded({ Screen }: { Screen: FunctionComponent }) {
  const [error, retry] = useErrorBoundary() as [unknown, () => void]
  if (error === undefined) return <Screen />
  return (
    <>
      <h1 tabIndex={-1}>This screen has failed</h1>
      <p class="notice bad">{error instanceof Error ? error.message : 'It threw no error.'}</p>
      <p>
        <button type="button" onClick={retry}>
          Try again
        </button>
      </p>
    </>
  )
}

/** On a phone, the links are one scrolling line. */
function showCurrent(): void {
  const link = document.querySelector<HTMLElement>('nav [aria-current]')
  const nav = link?.closest('nav')
  if (link && nav) nav.scrollLeft = link.offsetLeft - nav.clientWidth / 2
}

function OfMock({ name }: { name: string }) {
  return (
    <>
      <h1 tabIndex={-1}>{name}</h1>
      <p>
        A proxy does not have this screen. It has <a href={href('requests')}>requests</a> and a{' '}
        <a href={href('scorecard')}>scorecard</a>.
      </p>
    </>
  )
}

function NotFound() {
  return (
    <>
      <h1 tabIndex={-1}>This screen does not exist</h1>
      <p>
        <a href={href('requests')}>Requests</a>
      </p>
    </>
  )
}
