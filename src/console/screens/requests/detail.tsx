import { Copy } from '../../parts/copy.tsx'
import { Empty, Status, Time, Waiting } from '../../parts/layout.tsx'
import { href } from '../../route.ts'
import { pretty } from './body.ts'
import { formats } from './copy-as.ts'
import { CompareWith } from './compare.tsx'
import { useEntry } from './entry.ts'
import { Why } from './why.tsx'

/** One request: what came, what it got, and why. */
export function Detail({ number, query }: { number: string; query: Readonly<Record<string, string>> }) {
  const { entry, error } = useEntry(number)
  const close = href('requests', undefined, query)
  if (entry === undefined) {
    return (
      <>
        <Close to={close} />
        {error === undefined ? (
          <Waiting error={error} />
        ) : (
          <Empty title={`Request ${number} is not in the journal`}>
            <p>{error}</p>
          </Empty>
        )}
      </>
    )
  }
  const { request, response } = entry
  return (
    <>
      <header class="head">
        <div>
          <h2 class="target">
            <span class="method">{request.method}</span> {request.target}
          </h2>
          <p class="facts">
            <Status status={response.status} /> <span>#{entry.number}</span> <Time at={entry.at} />
            {entry.operation !== undefined && <span>{entry.operation}</span>}
            {entry.abandoned && <span class="tag">the client gave up</span>}
          </p>
        </div>
        <Close to={close} />
      </header>
      <div class="actions">
        <details class="menu">
          <summary class="button">Copy as</summary>
          <div>
            {Object.entries(formats).map(([name, format]) => (
              <Copy key={name} text={format(entry, { origin: location.origin })} what={`the request as ${name}`}>
                {name}
              </Copy>
            ))}
          </div>
        </details>
        <CompareWith entry={entry} query={query} />
      </div>
      <Why entry={entry} />
      <Message
        title="Response"
        headers={response.headers}
        body={response.body}
        isDropped={entry.bodyDropped === true}
      />
      <Message title="Request" headers={request.headers} body={request.body} isDropped={false} />
    </>
  )
}

function Close({ to }: { to: string }) {
  return (
    <a class="button" href={to}>
      Close
    </a>
  )
}

/** Headers and body of a request or a response. */
function Message({
  title,
  headers,
  body,
  isDropped,
}: {
  title: string
  headers: Readonly<Record<string, string | string[]>>
  body: string
  isDropped: boolean
}) {
  const pairs = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const))
  const text = pretty(body)
  return (
    <section>
      <h3>{title}</h3>
      <details class="headers">
        <summary>
          {pairs.length} {pairs.length === 1 ? 'header' : 'headers'}
        </summary>
        <dl>
          {pairs.map(([name, value]) => (
            <div key={`${name} ${value}`}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {text === '' ? (
        <p class="soft">{isDropped ? 'The body is no longer kept, since many others came.' : 'No body.'}</p>
      ) : (
        <div class="snippet">
          <pre class="body" tabIndex={0} aria-label={`Body of the ${title.toLowerCase()}`}>
            <code>{text}</code>
          </pre>
          <Copy text={body} what={`the body of the ${title.toLowerCase()}`} />
        </div>
      )}
    </section>
  )
}
