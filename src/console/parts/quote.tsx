import type { ControlSchemas } from '../../control.gen.ts'
import { useResource } from '../state/resource.ts'

/** A quote from the specification, with rows of its tables as sentences. */
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

/** The explanation of a requirement or an unspecified behavior. */
export const useExplanation = (id: string) =>
  useResource<ControlSchemas['Explanation']>(`/explain/${encodeURIComponent(id)}`)

/** The usual cause of a violation and its fix, folded. Empty for a requirement that cannot be tested. */
export function Explained({ id, title = 'Common causes and fix' }: { id: string; title?: string }) {
  const { data } = useExplanation(id)
  if (data?.kind !== 'requirement' || data.breaks === undefined) return null
  return (
    <details class="explained">
      <summary class="soft">{title}</summary>
      <p>{words(data.breaks)}</p>
      <p>
        <strong>Fix:</strong> {words(data.fix ?? '')}
      </p>
    </details>
  )
}
