import { html } from './html-text.ts'
import type { Html } from './html-text.ts'
import type { ClauseState } from './words.ts'

/** The verdicts in the words of the report, in the order in which it counts them, with what each means. */
export const states: readonly { state: ClauseState; word: string; meaning: string }[] = [
  { state: 'verified', word: 'Verified', meaning: 'The deployment was asked, and did what the clause says.' },
  {
    state: 'violated',
    word: 'Violated',
    meaning: 'The deployment did something else. A finding shows the request and the answer.',
  },
  {
    state: 'known',
    word: 'Known failure',
    meaning: 'Violated, but the baseline of this deployment excuses it until a certain day.',
  },
  {
    state: 'not-verified',
    word: 'Not verified',
    meaning: 'This run could not tell. The reason says what would be needed.',
  },
  {
    state: 'not-applicable',
    word: 'Not applicable',
    meaning: 'No request from outside can tell, or it was left out on purpose.',
  },
]

/** The icons, each of its own shape, so that colour is never the only difference. They are drawn once. */
export const icons = html`<svg width="0" height="0" aria-hidden="true" focusable="false">
  <symbol id="icon-verified" viewBox="0 0 24 24">
    <circle cx="12" cy="12" r="10" />
    <path d="m7.5 12.5 3 3 6-6.5" />
  </symbol>
  <symbol id="icon-violated" viewBox="0 0 24 24">
    <path d="M8 2h8l6 6v8l-6 6H8l-6-6V8z" />
    <path d="m8.5 8.5 7 7m0-7-7 7" />
  </symbol>
  <symbol id="icon-known" viewBox="0 0 24 24"><path d="M5 22V3h13l-3 5 3 5H5" /></symbol>
  <symbol id="icon-not-verified" viewBox="0 0 24 24">
    <path d="M12 2 22 20.5H2z" />
    <path d="M12 9v5m0 3v.01" />
  </symbol>
  <symbol id="icon-not-applicable" viewBox="0 0 24 24">
    <circle cx="12" cy="12" r="10" />
    <path d="M8 12h8" />
  </symbol>
</svg>`

/** The icon of a verdict. Its word stands beside it. */
export function icon(state: ClauseState): Html {
  return html`<svg class="icon" aria-hidden="true" focusable="false"><use href="#icon-${state}" /></svg>`
}

/** The icon and the word of a verdict. */
export function mark(state: ClauseState): Html {
  const word = states.find((entry) => entry.state === state)?.word
  return html`<span class="mark ${state}">${icon(state)}<span>${word}</span></span>`
}
