import { useEffect, useRef, useState } from 'preact/hooks'
import type { ControlSchemas } from '../../../control.gen.ts'
import { mockUrl, pathOf, sandbox, send } from '../../state/api.ts'
import { lost, rows as latest, unreadable } from '../../state/live.ts'
import { parseJson } from '../../../json.ts'
import type { JournalEntry, JournalSummary } from '../../../mock/journal/entry.ts'
import type { Scorecard } from '../../../mock/scorecard/scorecard.gen.ts'
import { count } from '../../../report/text.ts'
import { Snippet } from '../../parts/copy.tsx'
import { saveFrom } from '../../parts/files.tsx'
import { Elsewhere } from '../../parts/elsewhere.tsx'
import { Choose, Empty, Head } from '../../parts/layout.tsx'
import { Search } from '../../parts/search.tsx'
import { change, useResource } from '../../state/resource.ts'
import { href, setQuery, useRoute } from '../../state/route.ts'
import { useCell } from '../../state/store.ts'
import { Compare } from './detail/compare.tsx'
import { Detail } from './detail/detail.tsx'
import { operationIds } from '../../../spec/operations.ts'
import { type Filter, filterNames, passes } from './filter.ts'
import { SendRequest } from './send.tsx'
import { RequestTable } from './table.tsx'

/** The live table of requests, with the open request beside it. */
export function Requests() {
  const { id, query } = useRoute()
  const { data: settings } = useResource<ControlSchemas['Settings']>('/settings')
  const isProxy = settings?.proxyOf !== undefined
  const everything = useCell(latest)
  const isWithSuite = query['suite'] !== undefined
  const all = isWithSuite ? everything : everything.filter(({ suite }) => suite === undefined)
  const ofSuite = everything.length - everything.filter(({ suite }) => suite === undefined).length
  const missing = useCell(lost)
  const skipped = useCell(unreadable)
  /** The last shown request while the table is paused or scrolled. */
  const [held, setHeld] = useState<number>()
  const [isPaused, setPaused] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  const visible = held === undefined ? all : all.filter(({ number }) => number <= held)
  const inBody = useBodies(query['search'] ?? '')
  const isFound = (row: JournalSummary): boolean => passes(row, query, inBody ?? none)
  const found = visible.filter(isFound)
  const waiting =
    held === undefined ? 0 : all.filter((row) => row.number > held && isFound(row)).length
  const last = all.at(-1)?.number ?? 0

  /** Rows do not move while the user has scrolled down. */
  function onScroll(): void {
    const isAway = (list.current?.scrollTop ?? 0) > 40
    if (isPaused || isAway === (held !== undefined)) return
    setHeld(isAway ? last : undefined)
  }
  function togglePause(): void {
    setPaused(!isPaused)
    setHeld(isPaused ? undefined : last)
  }
  function showNew(): void {
    setPaused(false)
    setHeld(undefined)
    list.current?.scrollTo({ top: 0 })
  }
  return (
    <div class={id === undefined ? 'split' : 'split is-open'}>
      <div class="list" ref={list} onScroll={onScroll}>
        <Head title="Requests">
          {!isProxy && (
            <a class="button" href={href('requests', 'new', query)}>
              Send a request
            </a>
          )}
          <button type="button" aria-pressed={isPaused} onClick={togglePause}>
            {isPaused ? 'Resume' : 'Pause'}
          </button>
          <button
            type="button"
            onClick={() => void saveFrom('/journal.har', 'requests.har')}
            disabled={everything.length === 0}
          >
            Save as HAR
          </button>
          <button
            type="button"
            onClick={() =>
              confirm('Clear the journal and the scorecard?') &&
              void change('Cleared the journal and the scorecard.', 'DELETE', '/journal')
            }
            disabled={everything.length === 0}
          >
            Clear
          </button>
        </Head>
        <Mistakes />
        <Filters query={query} />
        <p class="soft count" role="status">
          {inBody === undefined ? 'Searching…' : share(found.length, all.length)}
          {missing > 0 && <span> · {missing} earlier ones are no longer kept</span>}
          {ofSuite > 0 && (
            <button
              type="button"
              class="small"
              aria-pressed={isWithSuite}
              onClick={() => setQuery({ suite: isWithSuite ? undefined : 'shown' })}
            >
              {isWithSuite ? 'Hide' : 'Show'} {ofSuite} of the contract suite
            </button>
          )}
          {skipped > 0 && <span> · {skipped} could not be read</span>}
          {waiting > 0 && (
            <button type="button" class="small primary" onClick={showNew}>
              {waiting} new
            </button>
          )}
        </p>
        {all.length === 0 ? (
          <FirstRequest settings={settings} />
        ) : found.length === 0 && inBody !== undefined ? (
          <Empty title="No request matches" />
        ) : (
          <RequestTable rows={found} open={id} query={query} />
        )}
      </div>
      {id !== undefined && (
        <section class="detail" aria-label={id === 'new' ? 'New request' : `Request ${id}`}>
          {id === 'new' ? (
            <SendRequest key={query['from']} query={query} />
          ) : query['compare'] === undefined ? (
            <Detail key={id} number={id} query={query} />
          ) : (
            <Compare key={id} number={id} other={query['compare']} query={query} />
          )}
        </section>
      )}
    </div>
  )
}

/** Bodies are searched in this many of the latest requests, once nobody types. */
const mostSearched = 1_000
const typingMs = 300

const none: ReadonlySet<number> = new Set()

/** The requests whose bodies, or those of their responses, contain a text; undefined while they are searched. */
function useBodies(search: string): ReadonlySet<number> | undefined {
  const [found, setFound] = useState({ of: '', numbers: none })
  const of = `${useCell(sandbox)} ${search}`
  useEffect(() => {
    if (search === '') return undefined
    const controller = new AbortController()
    const show = (numbers: ReadonlySet<number>): void => setFound({ of, numbers })
    const timer = setTimeout(
      // Targets and reasons are searched without the mock.
      () => void findBodies(search, controller.signal).then(show, () => show(none)),
      typingMs,
    )
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [search, of])
  return search === '' ? none : found.of === of ? found.numbers : undefined
}

async function findBodies(search: string, signal: AbortSignal): Promise<Set<number>> {
  const path = pathOf(`/journal?limit=${mostSearched}`)
  const response = await send('GET', path, undefined, { signal })
  const { entries } = parseJson(await response.text()) as unknown as { entries: JournalEntry[] }
  const wanted = search.toLowerCase()
  const matching = entries.filter(({ request, response }) =>
    `${request.body}\n${response.body}`.toLowerCase().includes(wanted),
  )
  return new Set(matching.map(({ number }) => number))
}

/** `13 kinds of mistakes in 62 requests`, which leads to them by kind, or to the only request; nothing without any. */
function Mistakes() {
  const { data } = useResource<{ scorecards: Scorecard[] }>('/scorecard')
  const name = useCell(sandbox)
  const issues = (data?.scorecards ?? [])
    .filter((card) => (card.sandbox ?? '') === name)
    .flatMap((card) => card.issues)
    .filter(({ severity }) => severity !== 'notice')
  if (issues.length === 0) return null
  const kinds = new Set(issues.map(({ id }) => id)).size
  const entries = new Set(issues.flatMap((issue) => issue.entries))
  const requests = entries.size
  const [only] = entries
  return (
    <p>
      <a href={requests === 1 ? href('requests', only) : href('scorecard')}>
        {kinds} {kinds === 1 ? 'kind of mistake' : 'kinds of mistakes'} in{' '}
        {count(requests, 'request')}
      </a>
    </p>
  )
}

const share = (found: number, all: number): string =>
  found === all ? count(all, 'request') : `${found} of ${count(all, 'request')}`

function Filters({ query }: { query: Filter }) {
  const statuses = [...new Set(['2xx', '4xx', '5xx', ...(query.status ? [query.status] : [])])]
  const isFiltered = filterNames.some((name) => query[name])
  return (
    <Search label="Search requests" placeholder="Search">
      <Choose
        name="operation"
        label="Operation"
        value={query.operation}
        options={[...operationIds, 'other']}
      />
      <Choose name="status" label="Status" value={query.status} options={statuses} />
      {isFiltered && (
        <button
          type="button"
          class="plain"
          onClick={() => setQuery(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
        >
          Show all
        </button>
      )}
    </Search>
  )
}

/** A button for a first request, and a curl line. */
function FirstRequest({ settings }: { settings: ControlSchemas['Settings'] | undefined }) {
  const key = settings?.key ?? '$PETSTORE_API_KEY'
  const line = `curl -H "Authorization: Bearer ${key}" '${mockUrl}${settings?.basePath ?? ''}/pets?limit=3'`
  return (
    <Empty title="No requests yet">
      {settings?.proxyOf === undefined && (
        <p>
          <a class="button primary" href={href('requests', 'new')}>
            Send a request
          </a>
        </p>
      )}
      <p>Or point your client at the base URL, or paste this into a terminal:</p>
      <Snippet line={line} what="the curl line" />
      <p class="soft">
        <Elsewhere />
        Every request appears here with the part of the specification that determined its response.
      </p>
    </Empty>
  )
}
