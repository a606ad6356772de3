import type { ControlSchemas } from '../../control.gen.ts'
import { useResource } from '../resource.ts'

/** The exact words of the specification; a row of one of its tables as a sentence. */
export function Quote({ text, source, id }: { text: string; source: string; id: string }) {
  return (
    <figure class="quote">
      <blockquote>{words(text)}</blockquote>
      <figcaption>
        {source} · <code>{id}</code>
      </figcaption>
    </figure>
  )
}

/** A sentence with code in backticks. */
export const words = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))

/** What an id of the specification means. */
export const useExplanation = (id: string) =>
  useResource<ControlSchemas['Explanation']>(`/explain/${encodeURIComponent(id)}`)

/** What usually breaks a requirement, and how to fix it: folded. Nothing for one that cannot be tested. */
export function Explained({ id }: { id: string }) {
  const { data } = useExplanation(id)
  if (data?.kind !== 'clause' || data.breaks === undefined) return null
  return (
    <details class="explained">
      <summary class="soft">What usually breaks it, and how to fix it</summary>
      <p>{words(data.breaks)}</p>
      <p>
        <strong>Fix:</strong> {words(data.fix ?? '')}
      </p>
    </details>
  )
}
