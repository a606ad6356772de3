import type { Choice } from '../../spec/choices.ts'
import type { Clause } from '../../spec/clauses.ts'
import type { MockReply } from '../message.ts'
import { page } from './api-replies.ts'

/** What an id of the header `Petstore-Explain` stands for. */
export type Explanation =
  | ({ kind: 'clause' } & Required<Pick<Clause, 'restates'>> & Omit<Clause, 'restates'>)
  | ({ kind: 'choice'; chosen?: string } & Choice)

const style = `
:root { color-scheme: light dark; --ink: #1a1f24; --paper: #fff; --soft: #56606a; --line: #d9dee3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --paper: #14181c; --soft: #a4aeb7; --line: #363e46; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 44rem; margin-inline: auto; padding: clamp(1.5rem, 5vw, 3.5rem) clamp(1rem, 4vw, 2.5rem); }
.kind, .section, dt { color: var(--soft); font-size: 0.875rem; }
h1 { margin: 0.2rem 0 0.4rem; font: 600 clamp(1.3rem, 4vw, 1.8rem)/1.25 ui-monospace, monospace; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.1rem; }
p { margin: 0 0 0.75rem; }
blockquote { margin: 1.25rem 0; padding-left: 1rem; border-left: 3px solid var(--line); font: 1.0625rem/1.5 Georgia, serif; }
code { font: 0.9375em ui-monospace, monospace; }
table { width: 100%; border-collapse: collapse; }
caption { padding-bottom: 0.5rem; color: var(--soft); font-size: 0.875rem; text-align: left; }
th, td { padding: 0.5rem 0.75rem 0.5rem 0; border-bottom: 1px solid var(--line); font-weight: inherit; text-align: left; vertical-align: top; }
thead th { color: var(--soft); font-size: 0.875rem; }
`

let hash: Promise<string> | undefined

/** A page that tells what an id stands for. It runs nothing and loads nothing. */
export async function explainPage(explanation: Explanation): Promise<MockReply> {
  hash ??= hashOf(style)
  const { id, kind, section, quote } = explanation
  const body = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(id)}: Pet Store Service</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="kind">${kind === 'clause' ? 'Clause of the specification' : 'Left open by the specification'}</p>
<h1>${text(id)}</h1>
<p class="section">Section: ${text(section)}</p>
<blockquote>${words(quote)}</blockquote>
${explanation.kind === 'clause' ? clausePart(explanation) : choicePart(explanation)}
</main>
</body>
</html>
`
  return page(body, `'sha256-${await hash}'`)
}

function clausePart({ reading, restates, untestable }: Explanation & { kind: 'clause' }): string {
  return [
    `<h2>How it is read</h2>\n<p>${words(reading)}</p>`,
    ...(restates.length > 0
      ? ['<h2>It also says</h2>', ...restates.map((also) => `<blockquote>${words(also)}</blockquote>`)]
      : []),
    ...(untestable === undefined ? [] : [`<h2>Not testable from outside</h2>\n<p>${words(untestable)}</p>`]),
  ].join('\n')
}

function choicePart(choice: Explanation & { kind: 'choice' }): string {
  const { question, options, free, why, chosen } = choice
  const marks = (value: string): string =>
    [
      ...(value === chosen ? ['<strong>taken here</strong>'] : []),
      ...(value === choice.default ? ['the default'] : []),
    ].join(', ')
  const row = (value: string, meaning: string): string =>
    `<tr><th scope="row"><code>${text(value)}</code></th><td>${words(meaning)}</td><td>${marks(value)}</td></tr>`
  const others = [choice.default, ...(chosen === undefined ? [] : [chosen])]
    .filter((value, index, all) => all.indexOf(value) === index && !options.some((option) => option.value === value))
    .map((value) => row(value, ''))
  return `<h2>${words(question)}</h2>
<table>
<caption>What a lawful deployment may do</caption>
<thead><tr><th scope="col">Option</th><th scope="col">A deployment with it</th><th scope="col">This mock</th></tr></thead>
<tbody>
${[...options.map(({ value, meaning }) => row(value, meaning)), ...others].join('\n')}
</tbody>
</table>
${free === undefined ? '' : `<p>Any other text is lawful, too: it is ${words(free)}.</p>`}
<h2>Why the mock takes its default</h2>
<p>${words(why)}</p>`
}

const text = (value: string): string => value.replaceAll(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`)

/** Words in which backticks mark code. */
const words = (value: string): string => text(value).replaceAll(/&#96;([^&]+)&#96;/g, '<code>$1</code>')

/** The hash by which the policy of the page knows its style. */
async function hashOf(source: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(source))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
