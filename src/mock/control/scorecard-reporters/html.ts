import type { Scorecard } from '../scorecard.ts'
import { cardSection } from './html-card.ts'
import { icons, legend } from './html-marks.ts'
import { style, styleHash } from './html-style.ts'
import { Html, html } from './html-text.ts'
import { shortInert } from '../../../report/inert.ts'
import { count, type ScorecardReporter, scoreWords, unscoredWords } from './words.ts'

const styleElement = new Html(`<style>${style}</style>`)

/** Characters that all scorecards may take, and links to them. */
const room = 2_000_000
const mostLinks = 100

/** The scorecards as one HTML file that needs no network and no script. */
export const toHtml: ScorecardReporter = (scorecards) => {
  const asked = scorecards.filter(({ requests }) => requests > 0)
  const { sections, left } = fit(asked)
  const shown = asked.slice(0, Math.min(mostLinks, sections.length))
  const page = html`<!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src '${new Html(styleHash)}'; base-uri 'none'; form-action 'none'"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <meta name="generator" content="petstore-kit" />
        <title>Scorecard of the clients of the Pet Store Service</title>
        ${styleElement}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the scorecards</a>
        ${icons}
        <header>
          <p class="kind">Scorecard</p>
          <h1>Clients of the Pet Store Service</h1>
        </header>
        <nav aria-label="Contents">
          <ul>
            ${shown.map(
              (card, index) =>
                html`<li>
                  <a href="#card-${index + 1}">${shortInert(card.subject, 100)} (${scoreWords(card)})</a>
                </li>`,
            )}
            <li><a href="#legend">How to read it</a></li>
          </ul>
        </nav>
        <main id="main" tabindex="-1">
          ${sections} ${restSection(scorecards.length - asked.length, left, unscoredWords(scorecards))} ${legend()}
        </main>
        <footer>
          <p>Made by petstore-kit. No API key stands in this file; its place is marked &lt;API_KEY&gt;.</p>
        </footer>
      </body>
    </html> `
  return `${page.source.trimEnd()}\n`
}

function fit(asked: readonly Scorecard[]): { sections: Html[]; left: number } {
  const sections: Html[] = []
  let used = 0
  for (const [index, card] of asked.entries()) {
    const section = cardSection(card, index + 1)
    used += section.source.length
    if (used > room) break
    sections.push(section)
  }
  return { sections, left: asked.length - sections.length }
}

/** What has no scorecard of its own on the page. */
function restSection(silent: number, left: number, unscored: string): Html | undefined {
  if (silent === 0 && left === 0 && unscored === '') return undefined
  const rows = [
    ...(silent === 0 ? [] : [`${count(silent, 'client')} without a request.`]),
    ...(left === 0 ? [] : [`${count(left, 'more scorecard')}; the json reporter shows them.`]),
    ...(unscored === '' ? [] : [unscored]),
  ]
  return html`<section aria-labelledby="others">
    <h2 id="others">Others</h2>
    <ul class="plain">
      ${rows.map((row) => html`<li>${row}</li>`)}
    </ul>
  </section>`
}
