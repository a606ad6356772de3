import { createHash } from 'node:crypto'
import type { Report } from '../report.ts'
import { clausesSection } from './html-clauses.ts'
import { findingsSection } from './html-findings.ts'
import { icon, icons, states } from './html-marks.ts'
import { profileSection } from './html-profile.ts'
import { style } from './html-style.ts'
import { Html, html } from './html-text.ts'
import { byReason, checkedWords, notesOf, sentence, stateOf, value, verdictOf } from './words.ts'

const styleElement = new Html(`<style>${style}</style>`)
const styleHash = createHash('sha256').update(style).digest('base64')

const verdictStates = { conforms: 'verified', violates: 'violated', 'not-verified': 'not-verified' } as const

/** The report as one HTML file that needs no network and no script. */
export function toHtml(report: Report): string {
  const fresh = report.findings.filter((finding) => !finding.known)
  const known = report.findings.filter((finding) => finding.known)
  const reasons = byReason(report)
  const notes = notesOf(report)
  const contents: [string, string][] = [
    ...(fresh.length > 0 ? [['violated', `Violated (${fresh.length})`] as [string, string]] : []),
    ...(known.length > 0 ? [['known', `Known failures (${known.length})`] as [string, string]] : []),
    ...(reasons.length > 0 ? [['open', 'Not verified'] as [string, string]] : []),
    ['clauses', 'Clauses'],
    ['profile', 'Observed'],
    ...(notes.length > 0 ? [['notes', 'Notes'] as [string, string]] : []),
  ]
  const page = html`<!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'sha256-${new Html(styleHash)}'; base-uri 'none'; form-action 'none'"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <meta name="generator" content="petstore-kit ${report.kit}" />
        <title>${verdictOf(report)}: ${value(report.target)}, contract report</title>
        ${styleElement}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the verdict</a>
        ${icons}
        <header>
          <p class="kind">Contract report</p>
          <h1>Pet Store Service</h1>
          <p class="target"><code>${value(report.target)}</code></p>
        </header>
        <nav aria-label="Contents">
          <ul>
            ${contents.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}
          </ul>
        </nav>
        <main id="main" tabindex="-1">
          ${verdictSection(report)} ${findingsSection(report, 'Violated', 'violated', fresh)}
          ${findingsSection(report, 'Known failures', 'known', known)}
          ${reasons.length === 0 ? undefined : openSection(reasons)} ${clausesSection(report)} ${profileSection(report)}
          ${
            notes.length === 0
              ? undefined
              : html`<section aria-labelledby="notes">
                  <h2 id="notes">Notes</h2>
                  <ul class="plain">
                    ${notes.map((note) => html`<li>${note}</li>`)}
                  </ul>
                </section>`
          }
          ${legend()}
        </main>
        <footer>
          <p>
            Made by petstore-kit ${report.kit}. The API key stands nowhere in this file; its place is marked
            $PETSTORE_API_KEY.
          </p>
        </footer>
      </body>
    </html> `
  return `${page.source.trimEnd()}\n`
}

function verdictSection(report: Report): Html {
  const state = verdictStates[report.verdict]
  const { requests, writes } = report.counts
  const facts: [string, string][] = [
    ['Started', report.startedAt.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')],
    ['Duration', `${(report.durationMs / 1000).toFixed(1)} s`],
    ['Requests', String(requests)],
    ['Pets created', String(writes)],
    ['petstore-kit', report.kit],
    ['Exit code', String(report.exitCode)],
  ]
  return html`<section aria-labelledby="verdict">
    <h2 id="verdict">Verdict</h2>
    <div class="verdict ${state}">
      <p class="word ${state}">${icon(state)}<span>${verdictOf(report)}</span></p>
      <p>${checkedWords(report)}</p>
    </div>
    ${distribution(report)}
    <dl class="facts">
      ${facts.map(
        ([name, text]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${sentence(text)}</dd>
          </div>`,
      )}
    </dl>
  </section>`
}

/** The counts, and the same as a bar. */
function distribution(report: Report): Html {
  const all = report.clauses.map((clause) => stateOf(report, clause))
  const shares = states
    .map((entry) => ({ ...entry, count: all.filter((state) => state === entry.state).length }))
    .filter(({ state, count }) => state !== 'known' || count > 0)
  const before = (index: number): number => shares.slice(0, index).reduce((sum, { count }) => sum + count, 0)
  return html`<svg
      class="bar"
      viewBox="0 0 ${all.length} 1"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      ${shares.map(({ state, count }, index) => html`<rect class="${state}" x="${before(index)}" width="${count}" height="1" />`)}
    </svg>
    <dl class="counts">
      ${shares.map(
        ({ state, word, count }) =>
          html`<div>
            <dt><span class="${state}">${icon(state)}</span>${word}</dt>
            <dd>${count}</dd>
          </div>`,
      )}
    </dl>`
}

function openSection(reasons: ReturnType<typeof byReason>): Html {
  return html`<section aria-labelledby="open">
    <h2 id="open">Not verified</h2>
    <ul class="plain">
      ${reasons.map(({ reason, ids }) => html`<li>${reason}<br /><span class="soft">${ids.join(', ')}</span></li>`)}
    </ul>
  </section>`
}

function legend(): Html {
  return html`<section aria-labelledby="legend">
    <h2 id="legend">How to read the verdicts</h2>
    <dl class="legend">
      ${states.map(
        ({ state, word, meaning }) =>
          html`<dt>
              <span class="mark ${state}">${icon(state)}<span>${word}</span></span>
            </dt>
            <dd>${meaning}</dd>`,
      )}
    </dl>
  </section>`
}
