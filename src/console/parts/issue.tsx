import type { ComponentChildren } from 'preact'
import type { RequestIssue } from '../../mock/scorecard/scorecard.ts'
import { Quote, words } from './quote.tsx'

const colors = { violation: 'bad', warning: 'warn', notice: '' } as const

/** An issue of a client, with its fix and the quoted specification. */
export function Issue({
  issue: { severity, message, fix, reference },
  open = false,
  isQuoted = false,
  summary,
  children,
}: {
  issue: Pick<RequestIssue, 'severity' | 'message' | 'fix' | 'reference'>
  open?: boolean
  /** Whether the sentence of the specification is already there. */
  isQuoted?: boolean
  summary: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <details class="issue" open={open}>
      <summary>
        <span class={`tag ${colors[severity]}`}>{severity}</span> {summary}
      </summary>
      <div class="stack">
        <p>{words(message)}</p>
        <p>
          <strong>Fix:</strong> {words(fix)}
        </p>
        {!isQuoted && (
          <Quote
            text={reference.sentence ?? reference.quote}
            source={reference.table === 'requirements' ? 'The specification' : 'Unspecified'}
            id={reference.id}
          />
        )}
        {children}
      </div>
    </details>
  )
}
