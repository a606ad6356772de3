import { useState } from 'preact/hooks'
import type { JournalEntry } from '../../../../mock/journal/entry.ts'
import { count, inert, inertLines } from '../../../../report/text.ts'
import { Copy } from '../../../parts/copy.tsx'
import { shown, tokensOf } from './body.ts'

/** Characters of a body that are shown: more would slow the page down. */
const mostShown = 200_000

type MessageProps = JournalEntry['request' | 'response'] & { title: string; isDropped?: boolean }

/** Headers and body of a request or a response. */
export function Message({ title, headers, body, isDropped = false }: MessageProps) {
  const [isRaw, setRaw] = useState(false)
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as const),
  )
  const what = `the body of the ${title.toLowerCase()}`
  const text = isRaw ? inertLines(body) : shown(body)
  return (
    <section>
      <h3>{title}</h3>
      <details class="headers">
        <summary>{count(pairs.length, 'header')}</summary>
        <dl>
          {pairs.map(([name, value]) => (
            <div key={`${name} ${value}`}>
              <dt>{name}</dt>
              <dd>{inert(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
      {body === '' ? (
        <p class="soft">
          {isDropped ? 'The body is no longer kept because of newer requests.' : 'No body.'}
        </p>
      ) : (
        <div class="snippet">
          <pre class="body" tabIndex={0} aria-label={`Body of the ${title.toLowerCase()}`}>
            <code>
              {tokensOf(text.slice(0, mostShown)).map(([part, kind], index) =>
                kind === undefined ? (
                  part
                ) : (
                  <span key={index} class={kind}>
                    {part}
                  </span>
                ),
              )}
            </code>
          </pre>
          <div class="beside">
            <Copy text={body} what={what} />
            <button
              type="button"
              class="small"
              aria-pressed={isRaw}
              aria-label={`Raw: ${what} as it was sent`}
              onClick={() => setRaw(!isRaw)}
            >
              Raw
            </button>
          </div>
          {text.length > mostShown && (
            <p class="soft">
              The first {mostShown} of {text.length} characters. Copy has all of them.
            </p>
          )}
        </div>
      )}
    </section>
  )
}
