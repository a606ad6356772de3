/** The exact words of the specification; a row of one of its tables as a sentence. */
export function Quote({ text, source, id }: { text: string; source: string; id: string }) {
  return (
    <figure class="quote">
      <blockquote>{text}</blockquote>
      <figcaption>
        {source} · <code>{id}</code>
      </figcaption>
    </figure>
  )
}
