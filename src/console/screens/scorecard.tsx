import type { Scorecard as Card, ScorecardIssue } from '../../mock/scorecard/scorecard.gen.ts'
import { scoreWords, toneOf } from '../../mock/scorecard/coverage.ts'
import { mockUrl } from '../state/api.ts'
import { Curl, Snippet } from '../parts/copy.tsx'
import { saveFrom } from '../parts/files.tsx'
import { Columns, Empty, Head, Waiting } from '../parts/layout.tsx'
import { Issue } from '../parts/issue.tsx'
import { useResource } from '../state/resource.ts'
import { href } from '../state/route.ts'

const formats = { html: 'text/html', markdown: 'text/markdown', json: 'application/json' } as const

/** How well each client follows the contract. */
export function Scorecard() {
  const { data, error } = useResource<{ scorecards: Card[] }>('/scorecard')
  const cards = data?.scorecards.filter(({ requests }) => requests > 0)
  return (
    <>
      <Head
        title="Scorecard"
        lead="How well each client follows the contract, according to the requests in the journal."
      >
        {Object.entries(formats).map(([name, type]) => (
          <button
            key={name}
            type="button"
            disabled={!cards?.length}
            onClick={() => void save(name, type)}
          >
            Save as {name === 'html' ? 'HTML' : name === 'json' ? 'JSON' : 'Markdown'}
          </button>
        ))}
      </Head>
      {cards === undefined ? (
        <Waiting error={error} />
      ) : cards.length === 0 ? (
        <Empty title="No requests yet">
          <p>A client gets a score with its first request.</p>
        </Empty>
      ) : (
        cards.map((card) => <ClientCard key={card.subject} card={card} />)
      )}
      <Curl method="GET" path="/scorecard?reporter=text" />
      <details class="curl">
        <summary>A dated certificate</summary>
        <Snippet
          line={`petstore scorecard ${mockUrl} --certificate certificate.html`}
          what="the line that writes a certificate"
        />
      </details>
    </>
  )
}

function save(name: string, type: string): Promise<void> {
  return saveFrom(
    `/scorecard?reporter=${name}`,
    `scorecard.${name === 'markdown' ? 'md' : name}`,
    type,
  )
}

function ClientCard({
  card: { subject, score, requests, issues, coverage, journal },
}: {
  card: Card
}) {
  return (
    <article class="card stack">
      <div class="scored">
        <Ring score={score} />
        <div>
          <h2>{subject === 'key 1' ? 'main (default key)' : subject}</h2>
          <p>{scoreWords({ score, coverage, issues })}</p>
          <p class="soft">
            {requests} {requests === 1 ? 'request' : 'requests'},{' '}
            {issues.length === 0
              ? 'no issues'
              : `${issues.length} ${issues.length === 1 ? 'issue' : 'issues'}`}
          </p>
          {journal.counted < journal.received && (
            <p class="soft">
              Covers {journal.counted} of {journal.received} requests.
            </p>
          )}
        </div>
      </div>
      {issues.length > 0 && (
        <section class="stack">
          <h3>Issues</h3>
          {issues.map((issue) => (
            <LinkedIssue key={issue.id} issue={issue} />
          ))}
        </section>
      )}
      <section class="stack">
        <h3>Coverage</h3>
        <Coverage subject={subject} coverage={coverage} />
      </section>
    </article>
  )
}

/** The score as an arc. */
function Ring({ score }: { score: number | null }) {
  const length = 2 * Math.PI * 26
  return (
    <svg
      class={`ring ${toneOf(score)}`}
      viewBox="0 0 64 64"
      role="img"
      aria-label={score === null ? 'No score' : `Score ${score} of 100`}
    >
      <circle cx="32" cy="32" r="26" class="track" />
      <circle
        cx="32"
        cy="32"
        r="26"
        class="arc"
        stroke-dasharray={`${((score ?? 0) / 100) * length} ${length}`}
        transform="rotate(-90 32 32)"
      />
      <text x="32" y="38" text-anchor="middle">
        {score ?? '–'}
      </text>
    </svg>
  )
}

/** The maximum number of linked requests. */
const mostLinks = 12

function LinkedIssue({ issue }: { issue: ScorecardIssue }) {
  const { title, count, entries } = issue
  const summary = (
    <>
      <strong>{count}</strong> {count === 1 ? 'request' : 'requests'} {title}
    </>
  )
  return (
    <Issue issue={issue} summary={summary}>
      <p>
        {entries.slice(-mostLinks).map((number) => (
          <a key={number} class="link" href={href('requests', number)}>
            #{number}
          </a>
        ))}
      </p>
    </Issue>
  )
}

/** The responses, parameters and untried parts of each operation. */
function Coverage({
  subject,
  coverage: { operations, neverTried },
}: Pick<Card, 'subject' | 'coverage'>) {
  return (
    <table class="coverage" aria-label={`Coverage of the operations by ${subject}`}>
      <Columns
        names={{ Operation: '', Responses: '', 'Parameters and fields': '', 'Never tried': '' }}
      />
      <tbody>
        {operations.map(({ operation, responses, parameters }) => (
          <tr key={operation}>
            <th scope="row">{operation}</th>
            <td data-head="Responses">
              <Counts counts={responses} />
            </td>
            <td data-head="Parameters and fields">
              <Counts counts={parameters} />
            </td>
            <td data-head="Never tried">
              {neverTried
                .filter((one) => one.operation === operation)
                .map(({ what }) => (
                  <span key={what} class="tag never">
                    {what}
                  </span>
                ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Counts({ counts }: { counts: Readonly<Record<string, number>> }) {
  return (
    <>
      {Object.entries(counts).map(([name, count]) => (
        <span key={name} class="tag">
          {name} <span class="soft">×{count}</span>
        </span>
      ))}
    </>
  )
}
