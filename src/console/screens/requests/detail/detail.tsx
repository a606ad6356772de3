import type { JournalEntry } from '../../../../mock/journal/entry.ts'
import { isLost } from '../../../../mock/schemas/faults.ts'
import { parseJson, printJson } from '../../../../json.ts'
import { inert } from '../../../../report/text.ts'
import { mockUrl, pathOf, send } from '../../../state/api.ts'
import { Copy } from '../../../parts/copy.tsx'
import { saveFrom } from '../../../parts/files.tsx'
import { Empty, Status, Time, Waiting } from '../../../parts/layout.tsx'
import { act } from '../../../state/feedback.tsx'
import { href, type Query } from '../../../state/route.ts'
import { CompareWith } from './compare.tsx'
import { formats } from './copy-as.ts'
import { useEntry } from './entry.ts'
import { Changes } from './changes.tsx'
import { Issues } from './issues.tsx'
import { Judged } from './judged.tsx'
import { Message } from './message.tsx'
import { Why } from './why.tsx'

/** A request, its response and the reason for it. */
export function Detail({ number, query }: { number: string; query: Query }) {
  const { entry, error } = useEntry(number)
  const close = href('requests', undefined, query)
  if (entry === undefined) {
    return (
      <>
        <Close to={close} />
        {error === undefined ? (
          <Waiting error={error} />
        ) : (
          <Empty title={`Request ${number} is gone`}>
            <p>The mock was restarted, the journal was cleared, or newer requests replaced it.</p>
          </Empty>
        )}
      </>
    )
  }
  const { request, response, changes = [], judged } = entry
  return (
    <>
      <header class="head">
        <div>
          <h2 class="target">
            <span class="method">{request.method}</span> {inert(request.target)}
          </h2>
          <Facts entry={entry} />
        </div>
        <Close to={close} />
      </header>
      <div class="actions">
        {judged === undefined && (
          <>
            <button type="button" onClick={() => void sendAgain(entry.number, query)}>
              Send again
            </button>
            <a class="button" href={href('requests', 'new', { ...query, from: number })}>
              Edit and send
            </a>
            <a class="button" href={href('rules', undefined, { draft: printJson(ruleOf(entry)) })}>
              Make a rule
            </a>
          </>
        )}
        <button type="button" class="opens" popovertarget="copy-as">
          Copy as
        </button>
        <div id="copy-as" class="menu" popover>
          {Object.entries(formats).map(([name, format]) => (
            <Copy
              key={name}
              text={format(entry, mockUrl)}
              what={`the request as ${name}`}
              label={name}
            />
          ))}
          <button
            type="button"
            onClick={() =>
              void saveFrom(
                `/journal.har?after=${entry.number - 1}&before=${entry.number + 1}`,
                `request-${entry.number}.har`,
              )
            }
          >
            HAR file
          </button>
        </div>
        <CompareWith entry={entry} query={query} />
      </div>
      {judged === undefined ? <Why entry={entry} /> : <Judged judged={judged} />}
      {entry.issues.length > 0 && <Issues issues={entry.issues} reason={entry.reason ?? ''} />}
      <Changes changes={changes} />
      <Message title="Response" {...response} isDropped={entry.bodyDropped === true} />
      <Message title="Request" {...request} />
    </>
  )
}

/** Opens the new request, compared with the old one. */
async function sendAgain(number: number, query: Query): Promise<void> {
  await act('Sent it again.', async () => {
    const response = await send('POST', pathOf(`/journal/${number}/repeat`))
    const again = parseJson(await response.text()) as { number: number }
    location.hash = href('requests', again.number, { ...query, compare: String(number) })
  })
}

function Facts({ entry }: { entry: JournalEntry }) {
  const { number, at, durationMs, delayMs, rule, fault, abandoned } = entry
  return (
    <p class="facts">
      <Status {...entry} />
      {abandoned && <span>by the client</span>} <span>#{number}</span> <Time at={at} />
      {durationMs >= 1 && <span>{Math.round(durationMs)} ms</span>}
      {delayMs !== undefined && rule === undefined && (
        <span class="tag warn">delayed {delayMs} ms</span>
      )}
      {fault && rule === undefined && !isLost(fault) && <span class="tag bad">{fault}</span>}
    </p>
  )
}

/** A rule that repeats this error for similar requests; 503 if there was no error. */
function ruleOf({ operation, request, response }: JournalEntry): object {
  const [path = '', search = ''] = request.target.split('?')
  const query = Object.fromEntries(new URLSearchParams(search))
  const when = {
    ...(operation !== undefined && { operation }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(operation === 'getPet' && { petId: path.split('/').at(-1) }),
  }
  return { when, reply: { status: response.status < 400 ? 503 : response.status }, times: 1 }
}

const Close = ({ to }: { to: string }) => (
  <a class="button close" href={to}>
    Close
  </a>
)
