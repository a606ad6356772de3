import type { RequestIssue } from '../../../../mock/scorecard/scorecard.ts'
import { Issue } from '../../../parts/issue.tsx'
import { href } from '../../../state/route.ts'

/** The issues of one request. */
export function Issues({ issues }: { issues: readonly RequestIssue[] }) {
  if (issues.length === 0) return null
  return (
    <section>
      <h3>
        Issues of this request <a href={href('scorecard')}>Scorecard</a>
      </h3>
      {issues.map((issue) => (
        <Issue
          key={issue.id}
          issue={issue}
          open={issue.severity === 'violation'}
          summary={`A request ${issue.title}`}
        />
      ))}
    </section>
  )
}
