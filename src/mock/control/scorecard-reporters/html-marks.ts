import { html, type Html } from './html-text.ts'
import { severities, severityMeanings, type State } from './words.ts'

type Mark = State | 'notice'

const marks: Record<Mark, string> = {
  violation: 'Violation',
  warning: 'Warning',
  notice: 'Notice',
  clean: 'Nothing counts against it',
  none: 'No requests',
}

/** The icons, each of its own shape, so that colour is never the only difference. They are drawn once. */
export const icons = html`<svg width="0" height="0" aria-hidden="true" focusable="false">
  <symbol id="icon-clean" viewBox="0 0 24 24">
    <circle cx="12" cy="12" r="10" />
    <path d="m7.5 12.5 3 3 6-6.5" />
  </symbol>
  <symbol id="icon-violation" viewBox="0 0 24 24">
    <path d="M8 2h8l6 6v8l-6 6H8l-6-6V8z" />
    <path d="m8.5 8.5 7 7m0-7-7 7" />
  </symbol>
  <symbol id="icon-warning" viewBox="0 0 24 24">
    <path d="M12 2 22 20.5H2z" />
    <path d="M12 9v5m0 3v.01" />
  </symbol>
  <symbol id="icon-notice" viewBox="0 0 24 24">
    <circle cx="12" cy="12" r="10" />
    <path d="M12 11v6m0-10v.01" />
  </symbol>
  <symbol id="icon-none" viewBox="0 0 24 24">
    <circle cx="12" cy="12" r="10" />
    <path d="M8 12h8" />
  </symbol>
</svg>`

/** The icon of a severity or state. Its word stands beside it. */
export function icon(mark: Mark): Html {
  return html`<svg class="icon" aria-hidden="true" focusable="false"><use href="#icon-${mark}" /></svg>`
}

/** The icon of a severity, with its word for those who cannot see it. */
export function labelledIcon(mark: Mark): Html {
  return html`<svg class="icon ${mark}" role="img" aria-label="${marks[mark]}" focusable="false">
    <use href="#icon-${mark}" />
  </svg>`
}

/** What the severities mean. */
export function legend(): Html {
  return html`<section aria-labelledby="legend">
    <h2 id="legend">How to read it</h2>
    <dl class="legend">
      ${severities.map(
        (severity) =>
          html`<dt>
              <span class="mark ${severity}">${icon(severity)}<span>${marks[severity]}</span></span>
            </dt>
            <dd>${severityMeanings[severity]}</dd>`,
      )}
    </dl>
  </section>`
}
