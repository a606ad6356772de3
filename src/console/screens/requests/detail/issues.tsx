import type { RequestIssue } from '../../../../mock/scorecard/scorecard.ts'
import { Issue } from '../../../parts/issue.tsx'
import { useExplanation } from '../../../parts/quote.tsx'

/** What to change in the request. */
export function Issues({
  issues,
  reason,
}: {
  issues: readonly RequestIssue[]
  /** The requirement or behavior that the page quotes already. */
  reason: string
}) {
  const quotation = useExplanation(reason).data?.sentence
  return (
    <section>
      <h3>What to change</h3>
      {issues.map((issue) => (
        <Issue
          key={issue.id}
          issue={issue}
          open={issue.severity === 'violation'}
          isQuoted={(issue.reference.sentence ?? issue.reference.quote) === quotation}
          summary={`A request ${issue.title}`}
        />
      ))}
    </section>
  )
}
