/** The stylesheet of all HTML reports. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --sheet: #f6f7f8; --ink: #1a1f24; --soft: #56606a; --line: #d9dee3; --link: #0b57a4;
  --good: #17693a; --bad: #b3211b; --known: #7a4d00; --warn: #7a4d00; --off: #56606a; --note: #0b57a4;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --serif: Charter, "Bitstream Charter", "Iowan Old Style", Georgia, "Noto Serif", "Liberation Serif", serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181c; --sheet: #1d2227; --ink: #e6e9ec; --soft: #a4aeb7; --line: #363e46; --link: #8ab8f0;
    --good: #74cf98; --bad: #ff9a90; --known: #e9bd62; --warn: #e9bd62; --off: #a4aeb7; --note: #8ab8f0;
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 var(--sans); overflow-wrap: anywhere; }
header, nav, main, footer { max-width: 66rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2.5rem); }
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
:target { background: var(--sheet); }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 1rem; background: var(--paper); z-index: 1; }
.skip:focus { top: 0.5rem; }
code, pre, .id { font-family: var(--mono); font-size: 0.875em; unicode-bidi: isolate; }
h1, h2, h3, h4, p, dl, dd, ul, blockquote, figure, pre { margin: 0; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
.icon { width: 1.15em; height: 1.15em; flex: none; vertical-align: -0.2em; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.good { color: var(--good); } .bad { color: var(--bad); } .known { color: var(--known); }
.warn { color: var(--warn); } .off { color: var(--off); } .note { color: var(--note); }
.soft { color: var(--soft); font-size: 0.875rem; }

header { padding-block: clamp(1.5rem, 5vw, 3.5rem) 1.5rem; }
.kind { color: var(--soft); font-size: 0.8125rem; font-weight: 600; letter-spacing: 0.08em; text-transform: uppercase; }
h1 { margin-top: 0.35rem; font: 600 clamp(1.6rem, 5vw, 2.4rem)/1.2 var(--serif); }
.subject { margin-top: 0.6rem; font-size: 1.0625rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; padding: 0.65rem 0; border-block: 1px solid var(--line); list-style: none; font-size: 0.9375rem; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
section { padding-top: clamp(2rem, 5vw, 3rem); }
h2 { font: 600 1.45rem/1.25 var(--serif); margin-bottom: 1rem; }
h3 { font-size: 1.0625rem; }
section > h3 { margin: 2rem 0 0.9rem; }
section > p { max-width: 46rem; margin-bottom: 1rem; }
.verdict { border-left: 0.3rem solid currentColor; padding-left: 1.1rem; }
.verdict p { max-width: 46rem; color: var(--ink); }
.verdict .word { display: flex; align-items: center; gap: 0.5rem; color: inherit; font: 600 clamp(1.5rem, 4vw, 2rem)/1.3 var(--serif); font-variant-numeric: tabular-nums; }
.bar { display: block; width: 100%; height: 0.5rem; margin-top: 1.5rem; border-radius: 0.25rem; background: var(--line); }
.bar rect { fill: currentColor; }
.counts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1rem; margin-top: 1rem; }
.counts div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.counts dt { display: flex; gap: 0.35rem; align-items: center; font-size: 0.9375rem; }
.counts dd { font: 600 1.75rem/1.2 var(--serif); font-variant-numeric: tabular-nums; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: 0.9rem 1rem; margin-top: 1.75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.facts div:first-child { grid-column: span 2; }
.facts dt { color: var(--soft); font-size: 0.8125rem; }

article { border: 1px solid var(--line); border-top: 0.2rem solid var(--note); border-radius: 0.25rem; padding: clamp(0.9rem, 3vw, 1.5rem); margin-bottom: 1.5rem; }
article.is-bad { border-top-color: var(--bad); }
article.is-known, article.is-warn { border-top-color: var(--warn); }
article > * + * { margin-top: 0.85rem; }
article h3, article h4 { display: flex; flex-wrap: wrap; gap: 0.25rem 0.6rem; align-items: baseline; font-size: 1.0625rem; }
article h3 + p, article h4 + p { margin-top: 0.1rem; }
blockquote, .quote { font-family: var(--serif); }
blockquote { padding-left: 0.9rem; border-left: 2px solid var(--line); font-size: 1.0625rem; }
.message { font-weight: 600; }
.facing { display: grid; grid-template-columns: minmax(5.5rem, max-content) 1fr; gap: 0.35rem 1rem; }
.facing dt { color: var(--soft); }
.facing dd { min-width: 0; }
ol.overview { padding-left: 1.6rem; max-width: 56rem; }
ol.overview li + li { margin-top: 0.6rem; }
.times { color: var(--soft); font-size: 0.875rem; font-variant-numeric: tabular-nums; }
.filter { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0 0 0.5rem; padding: 0; border: 0; font-size: 0.9375rem; }
.filter legend { float: left; padding: 0 1.25rem 0 0; color: var(--soft); }
.requirements ul { margin-top: 0.5rem; padding: 0; list-style: none; }
.requirements li { display: grid; grid-template-columns: 9.75rem 1fr; gap: 0 0.75rem; padding-block: 0.6rem; border-top: 1px solid var(--line); }
.requirements h3 { margin: 1.5rem 0 0.6rem; }
section:has(#show-good:checked) :is(.requirements, .requirements details):not(:has(.is-good)), section:has(#show-good:checked) li[class|="is"]:not(.is-good) { display: none; }
section:has(#show-bad:checked) :is(.requirements, .requirements details):not(:has(.is-bad)), section:has(#show-bad:checked) li[class|="is"]:not(.is-bad) { display: none; }
section:has(#show-known:checked) :is(.requirements, .requirements details):not(:has(.is-known)), section:has(#show-known:checked) li[class|="is"]:not(.is-known) { display: none; }
section:has(#show-warn:checked) :is(.requirements, .requirements details):not(:has(.is-warn)), section:has(#show-warn:checked) li[class|="is"]:not(.is-warn) { display: none; }
section:has(#show-off:checked) :is(.requirements, .requirements details):not(:has(.is-off)), section:has(#show-off:checked) li[class|="is"]:not(.is-off) { display: none; }
section:has(.filter input:not(#show-all):checked) details::details-content { content-visibility: visible; block-size: auto; }
details { border-top: 1px solid var(--line); padding-top: 0.75rem; }
summary { cursor: pointer; font-family: var(--mono); font-size: 0.875rem; }
figure { margin-top: 0.75rem; }
figcaption { color: var(--soft); font-size: 0.8125rem; margin-bottom: 0.2rem; }
pre { background: var(--sheet); border-radius: 0.25rem; padding: 0.7rem 0.85rem; font-size: 0.8125rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
pre.tall { max-height: 22rem; overflow-y: auto; }
@media (min-width: 56rem) {
  .sides { display: grid; grid-template-columns: 2fr 3fr; gap: 0 1rem; }
}

table { width: 100%; border-collapse: collapse; table-layout: fixed; }
caption { text-align: left; color: var(--soft); font-size: 0.875rem; padding-bottom: 0.75rem; }
th, td { text-align: left; vertical-align: top; font-weight: inherit; padding: 0.6rem 0.75rem 0.6rem 0; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-size: 0.8125rem; border-bottom: 2px solid var(--line); }
td p + p { margin-top: 0.25rem; }
.requirements p + p { margin-top: 0.25rem; }
.requirements .id { font-weight: 600; }
.mark { display: inline-flex; gap: 0.4rem; align-items: flex-start; font-size: 0.9375rem; }
.mark .icon { margin-top: 0.18em; }
.profile th { width: 45%; }
.profile .id { color: var(--soft); }
.coverage th:nth-child(1) { width: 20%; }
.coverage th:nth-child(2) { width: 14%; }
.plain { padding-left: 1.2rem; max-width: 52rem; }
.plain li + li { margin-top: 0.5rem; }
.legend { display: grid; grid-template-columns: max-content 1fr; gap: 0.4rem 1.25rem; }
footer { margin-top: 3rem; padding-bottom: 3rem; color: var(--soft); font-size: 0.875rem; }
footer p { padding-top: 1.25rem; border-top: 1px solid var(--line); }
@media (max-width: 34rem) {
  .requirements li { grid-template-columns: 1fr; gap: 0.15rem; }
  .counts { grid-template-columns: 1fr 1fr; }
  .legend, .facing { grid-template-columns: 1fr; gap: 0.1rem; }
  .legend dd, .facing dd { margin-bottom: 0.6rem; }
  .coverage th, .coverage td { font-size: 0.8125rem; }
  .coverage th:nth-child(1) { width: 24%; }
  .coverage th:nth-child(2) { width: 21%; }
}
@media print {
  :root {
    color-scheme: light;
    --paper: #fff; --sheet: #f4f4f4; --ink: #000; --soft: #444; --line: #bbb; --link: #000;
    --good: #17693a; --bad: #a31515; --known: #6b4300; --warn: #6b4300; --off: #444; --note: #0b3f78;
  }
  @page { margin: 18mm 16mm; }
  body { font-size: 9.5pt; }
  header, nav, main, footer { max-width: none; padding-inline: 0; }
  header { padding-top: 0; }
  nav, .skip, .filter, section:has(.legend), .requirements:not(:has(> ul)) { display: none; }
  .sides { display: grid; grid-template-columns: 2fr 3fr; gap: 0 0.6rem; }
  section { padding-top: 1.25rem; }
  article { padding: 0.8rem 1rem; margin-bottom: 1rem; }
  article > * + *, figure, article details { margin-top: 0.5rem; padding-top: 0; }
  .facing { grid-template-columns: 6rem 1fr; }
  .requirements h3 { margin: 0.8rem 0 0.3rem; }
  .requirements li { padding-block: 0.35rem; grid-template-columns: 8rem 1fr; }
  a { text-decoration: none; }
  h2, h3, h4, figcaption, summary, caption { break-after: avoid; }
  tr, blockquote, .facing, .counts, .facts, .verdict { break-inside: avoid; }
  thead { display: table-header-group; }
  pre, pre.tall { border: 1px solid var(--line); font-size: 8pt; max-height: none; }
  .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
@media (forced-colors: active) {
  .bar { border: 1px solid; }
}
`

/** The SHA-256 of the stylesheet, for the policy of a page. A test fails with the new one when the stylesheet changes. */
export const styleHash = 'sha256-bpsODCGn9piFSIldtraOxniSoKYaiVs5wklPf5EV9yg='
