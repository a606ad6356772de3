import type { RequestIssue } from '../../../mock/scorecard/types.ts'
import { Quote } from '../../parts/quote.tsx'
import { href } from '../../route.ts'

const colors = { violation: 'bad', warning: 'warn', notice: '' } as const

/** The mistakes of the client in one request. */
export function Issues({ issues }: { issues: readonly RequestIssue[] }) {
  if (issues.length === 0) return null
  return (
    <section>
      <h3>
        What the client does wrong here <a href={href('scorecard')}>Scorecard</a>
      </h3>
      {issues.map(({ id, severity, title, message, fix, reference }) => (
        <details key={id} class="issue" open={severity === 'violation'}>
          <summary>
            <span class={`tag ${colors[severity]}`}>{severity}</span> A request {title}
          </summary>
          <div class="stack">
            <p>{message}</p>
            <p>
              <strong>Fix:</strong> {fix}
            </p>
            <Quote
              text={reference.quote}
              source={reference.table === 'clauses' ? 'The specification' : 'Unspecified'}
              id={reference.id}
            />
          </div>
        </details>
      ))}
    </section>
  )
}
