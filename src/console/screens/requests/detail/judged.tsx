import type { JournalEntry } from '../../../../mock/journal/entry.ts'
import { Explained, Quote } from '../../../parts/quote.tsx'

const verdicts = {
  conforms: 'It violates no requirement that a single response can show.',
  violates: 'It violates the specification:',
  'not-judged': 'It was not judged',
  proxy: 'The proxy responded itself',
}

/** The verdict of the suite on a response of a deployment. */
export function Judged({
  judged: { verdict, reason, violations },
}: {
  judged: NonNullable<JournalEntry['judged']>
}) {
  return (
    <section>
      <h3>The response of the deployment</h3>
      <p class={verdict === 'violates' ? 'notice bad' : 'soft'}>
        {verdicts[verdict]}
        {reason !== undefined && `: ${reason}`}
      </p>
      {violations?.map(({ requirement, sentence, message }) => (
        <div key={`${requirement} ${message}`} class="stack">
          <p>{message}</p>
          <Quote text={sentence} source="The specification" id={requirement} />
          <Explained id={requirement} />
        </div>
      ))}
    </section>
  )
}
