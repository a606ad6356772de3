import { useEffect, useRef, useState } from 'preact/hooks'
import type { ControlSchemas } from '../../../control.gen.ts'
import { parseJson } from '../../../json.ts'
import { jsonProblem } from '../../../json-problem.ts'
import type { JournalEntry } from '../../../mock/journal/entry.ts'
import { type OperationId, operationIds } from '../../../spec/operations.ts'
import type { ExactPet } from '../../../spec/types.ts'
import { mockUrl, pathOf, send } from '../../state/api.ts'
import { lastNumber } from '../../state/live.ts'
import { Snippet } from '../../parts/copy.tsx'
import { Waiting } from '../../parts/layout.tsx'
import { useResource } from '../../state/resource.ts'
import { href, type Query } from '../../state/route.ts'
import { remembered } from '../../state/store.ts'
import { toCurl } from './detail/copy-as.ts'
import { type Draft, draftFrom, draftOf, idHeader, readHeaders, toRequest } from './draft.ts'
import { useEntry } from './detail/entry.ts'
import { Message } from './detail/message.tsx'

/** The key of a mock that does not accept the public one, until this tab is closed. */
const ownKey = remembered(sessionStorage, 'petstore-key', '')
/** Entries that are searched for the own request. */
const mostSearched = 100

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** What came of a request. */
interface Outcome {
  ms: number
  status?: number
  /** The address behind a redirect. */
  redirectedTo?: string
  headers?: Record<string, string>
  body?: string
  /** Why there is no response, or only a part of it. */
  error?: string
  /** Its entry in the journal of this sandbox. */
  number?: number | undefined
}

/** A form that sends a request to the service, with the key of the sandbox. */
export function SendRequest({ query }: { query: Query }) {
  const { data: settings, error } = useResource<ControlSchemas['Settings']>('/settings')
  const { data: pets, error: petsError } = useResource<ExactPet[]>('/pets?limit=1')
  const { from, ...filter } = query
  return (
    <>
      <header class="head">
        <h2>{from === undefined ? 'Send a request' : `Edit request ${from}, and send it`}</h2>
        <a class="button close" href={href('requests', undefined, filter)}>
          Close
        </a>
      </header>
      {settings === undefined || pets === undefined ? (
        <Waiting error={error ?? petsError} />
      ) : from === undefined ? (
        <Form {...{ settings, pets, filter }} />
      ) : (
        <FromEntry number={from} {...{ settings, pets, filter }} />
      )}
    </>
  )
}

interface FormProps {
  settings: ControlSchemas['Settings']
  pets: readonly ExactPet[]
  filter: Query
}

function FromEntry({ number, ...props }: FormProps & { number: string }) {
  const { entry, error } = useEntry(number)
  if (entry === undefined) return <Waiting error={error} />
  return (
    <>
      {entry.request.bodyCut && (
        <p class="notice bad">Only the beginning of the body is kept. Complete it, or remove it.</p>
      )}
      <Form key={number} first={draftFrom(entry)} {...props} />
    </>
  )
}

function Form({ first, settings, pets, filter }: FormProps & { first?: Draft }) {
  const usual = (operation: OperationId): Draft => draftOf(operation, settings.basePath, pets[0])
  const isOwnKey = settings.key === undefined
  const [draft, setDraft] = useState(first ?? usual('listPets'))
  const [chosen, setChosen] = useState<OperationId | undefined>(first ? undefined : 'listPets')
  const [key, setKey] = useState(settings.key ?? ownKey.get())
  const [outcome, setOutcome] = useState<Outcome>()
  const [sending, setSending] = useState<AbortController>()
  const submit = useRef<HTMLButtonElement>(null)
  const set = (change: Partial<Draft>): void => setDraft({ ...draft, ...change })
  useEffect(() => submit.current?.focus(), [])
  useEffect(() => () => sending?.abort(), [sending])

  async function onSubmit(event: Event): Promise<void> {
    event.preventDefault()
    if (sending !== undefined) return
    if (isOwnKey) ownKey.set(key)
    const controller = new AbortController()
    setSending(controller)
    setOutcome(undefined)
    const next = await exchange(draft, key, controller.signal)
    setSending(undefined)
    setOutcome(next)
  }

  return (
    <form class="stack send" aria-label="Request" onSubmit={(event) => void onSubmit(event)}>
      <div class="actions" role="group" aria-label="Operation">
        {operationIds.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === chosen}
            onClick={() => {
              setChosen(name)
              setDraft(usual(name))
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="line">
        <label>
          Method
          <select
            value={draft.method}
            onChange={(event) => set({ method: event.currentTarget.value })}
          >
            {[...new Set([...methods, draft.method])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Target
          <input
            required
            class="mono"
            value={draft.target}
            onInput={(event) => set({ target: event.currentTarget.value })}
          />
        </label>
      </div>
      {(!/^(?:GET|HEAD)$/i.test(draft.method) || draft.body !== '') && (
        <label>
          Body
          <textarea
            rows={6}
            spellcheck={false}
            value={draft.body}
            onInput={(event) => set({ body: event.currentTarget.value })}
          />
          {!isJson(draft) && (
            <small class="soft">This is not JSON: {jsonProblem(draft.body)}.</small>
          )}
        </label>
      )}
      <label>
        API key
        <KeyField isSecret={isOwnKey} value={key} onChange={setKey} />
        {isOwnKey && (
          <small class="soft">
            This mock has its own key, which the console does not know. It is kept until you close
            this tab.
          </small>
        )}
      </label>
      <details>
        <summary class="soft">Headers</summary>
        <textarea
          rows={3}
          spellcheck={false}
          aria-label="Headers"
          placeholder="One per line: Name: value"
          value={draft.headers}
          onInput={(event) => set({ headers: event.currentTarget.value })}
        />
      </details>
      <div class="actions">
        <button ref={submit} type="submit" class="primary">
          Send
        </button>
        {sending !== undefined && (
          <>
            <button type="button" onClick={() => sending.abort()}>
              Cancel
            </button>
            <span class="soft">Waiting for the response…</span>
          </>
        )}
      </div>
      <details class="curl">
        <summary>The same with curl</summary>
        <Snippet line={curlOf(draft, isOwnKey ? undefined : key)} what="the curl line" />
      </details>
      <div aria-live="polite">
        {outcome !== undefined && <Result outcome={outcome} filter={filter} />}
      </div>
    </form>
  )
}

function KeyField({
  isSecret,
  value,
  onChange,
}: {
  isSecret: boolean
  value: string
  onChange: (key: string) => void
}) {
  const onInput = (event: { currentTarget: HTMLInputElement }): void =>
    onChange(event.currentTarget.value.trim())
  return isSecret ? (
    <input type="password" autocomplete="off" value={value} onInput={onInput} />
  ) : (
    <input class="mono" autocomplete="off" value={value} onInput={onInput} />
  )
}

/** The response, and the way to its reason. */
function Result({ outcome, filter }: { outcome: Outcome; filter: Query }) {
  const { ms, status, redirectedTo, headers, body, error, number } = outcome
  return (
    <div class="stack">
      <p class="facts">
        {status !== undefined && (
          <span class={`status s${Math.floor(status / 100)}`}>{status}</span>
        )}
        <span>{Math.round(ms)} ms</span>
        {number === undefined ? (
          status !== undefined && (
            <span>
              Not in this sandbox: another key has another sandbox, a wrong one is in main.
            </span>
          )
        ) : (
          <a href={href('requests', number, filter)}>#{number}: why this response?</a>
        )}
      </p>
      {error !== undefined && (
        <p class="notice bad" role="alert">
          {error}
        </p>
      )}
      {redirectedTo !== undefined && (
        <p>
          The response is that of a redirect to <code>{redirectedTo}</code>.
        </p>
      )}
      {status !== undefined && (
        <Message title="Response" status={status} headers={headers ?? {}} body={body ?? ''} />
      )}
    </div>
  )
}

/** Sends the request from this page, as any other client would. */
async function exchange(draft: Draft, key: string, signal: AbortSignal): Promise<Outcome> {
  const id = `console-${Math.random().toString(36).slice(2, 12)}`
  const after = lastNumber()
  const since = performance.now()
  const outcome: Outcome = { ms: 0 }
  try {
    const request = toRequest(draft, { mockUrl, key, id })
    const response = await fetch(request, { signal, cache: 'no-store', credentials: 'omit' })
    outcome.status = response.status
    outcome.headers = Object.fromEntries(response.headers)
    if (response.redirected) outcome.redirectedTo = response.url
    outcome.body = await response.text()
  } catch (error) {
    outcome.error = sentenceOf(error, outcome.status !== undefined, signal.aborted)
  }
  outcome.ms = performance.now() - since
  outcome.number = await findEntry(id, after).catch(() => undefined)
  return outcome
}

function sentenceOf(error: unknown, hasBegun: boolean, isCanceled: boolean): string {
  const { message } = error as Error
  if (isCanceled) return hasBegun ? 'Canceled before the body ended.' : 'Canceled: no response yet.'
  if (hasBegun) return `The body ended too early, or the connection was lost: ${message}`
  return error instanceof RangeError
    ? message
    : `There is no response: the browser could not send the request, or the connection was closed before one came. (${message})`
}

/** The number of the entry with this request id. */
async function findEntry(id: string, after: number): Promise<number | undefined> {
  const response = await send('GET', pathOf(`/journal?after=${after}&limit=${mostSearched}`))
  const { entries } = parseJson(await response.text()) as unknown as { entries: JournalEntry[] }
  return entries.findLast(({ request }) => request.headers[idHeader] === id)?.number
}

/** Whether the body is what its headers declare; another type is not judged. */
function isJson({ headers, body }: Draft): boolean {
  if (body === '' || !/^content-type:[^\n]*json/im.test(headers)) return true
  try {
    parseJson(body)
    return true
  } catch {
    return false
  }
}

/** Without a key, it is read from a variable. */
function curlOf({ method, target, headers, body }: Draft, key: string | undefined): string {
  let lines: [string, string][] = []
  try {
    lines = readHeaders(headers)
  } catch {
    // The form says so when the request is sent.
  }
  const authorization = `Bearer ${key ?? '[redacted]'}`
  const sent = { ...Object.fromEntries(lines), authorization }
  return toCurl({ request: { method, target, body, headers: sent } }, mockUrl)
}
