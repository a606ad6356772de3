/** The stylesheet of the HTML scorecard. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --sheet: #f6f7f8; --ink: #1a1f24; --soft: #56606a; --line: #d9dee3; --link: #0b57a4;
  --clean: #17693a; --violation: #b3211b; --warning: #7a4d00; --notice: #0b57a4; --none: #56606a;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --serif: Charter, "Bitstream Charter", "Iowan Old Style", Georgia, "Noto Serif", "Liberation Serif", serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181c; --sheet: #1d2227; --ink: #e6e9ec; --soft: #a4aeb7; --line: #363e46; --link: #8ab8f0;
    --clean: #74cf98; --violation: #ff9a90; --warning: #e9bd62; --notice: #8ab8f0; --none: #a4aeb7;
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
h1, h2, h3, h4, p, dl, dd, ul, blockquote, pre { margin: 0; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
.icon { width: 1.15em; height: 1.15em; flex: none; vertical-align: -0.2em; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.clean { color: var(--clean); } .violation { color: var(--violation); } .warning { color: var(--warning); }
.notice { color: var(--notice); } .none { color: var(--none); }
.soft { color: var(--soft); font-size: 0.875rem; }

header { padding-block: clamp(1.5rem, 5vw, 3.5rem) 1.5rem; }
.kind { color: var(--soft); font-size: 0.8125rem; font-weight: 600; letter-spacing: 0.08em; text-transform: uppercase; }
h1 { margin-top: 0.35rem; font: 600 clamp(1.6rem, 5vw, 2.4rem)/1.2 var(--serif); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; padding: 0.65rem 0; border-block: 1px solid var(--line); list-style: none; font-size: 0.9375rem; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
section { padding-top: clamp(2rem, 5vw, 3rem); }
h2 { font: 600 1.45rem/1.25 var(--serif); margin-bottom: 1rem; }
h3 { margin: 2rem 0 0.9rem; font-size: 1.0625rem; }
.score { border-left: 0.3rem solid currentColor; padding-left: 1.1rem; }
.score p { color: var(--ink); }
.score .word { display: flex; align-items: center; gap: 0.5rem; color: inherit; font: 600 clamp(1.5rem, 4vw, 2rem)/1.3 var(--serif); font-variant-numeric: tabular-nums; }

article { border: 1px solid var(--line); border-top: 0.2rem solid var(--notice); border-radius: 0.25rem; padding: clamp(0.9rem, 3vw, 1.5rem); margin-bottom: 1.25rem; }
article.is-violation { border-top-color: var(--violation); }
article.is-warning { border-top-color: var(--warning); }
article > * + * { margin-top: 0.75rem; }
article h4 { display: flex; gap: 0.5rem; align-items: baseline; font-size: 1rem; }
article h4 + p { margin-top: 0.1rem; }
blockquote { padding-left: 0.9rem; border-left: 2px solid var(--line); font: 1.0625rem/1.5 var(--serif); }
.fix { max-width: 46rem; }
pre { background: var(--sheet); border-radius: 0.25rem; padding: 0.7rem 0.85rem; font-size: 0.8125rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; max-height: 16rem; overflow-y: auto; }

table { width: 100%; border-collapse: collapse; table-layout: fixed; }
caption { text-align: left; color: var(--soft); font-size: 0.875rem; padding-bottom: 0.75rem; }
th, td { text-align: left; vertical-align: top; font-weight: inherit; padding: 0.6rem 0.75rem 0.6rem 0; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-size: 0.8125rem; border-bottom: 2px solid var(--line); }
.asked th:nth-child(1) { width: 20%; }
.asked th:nth-child(2) { width: 14%; }
.plain { padding-left: 1.2rem; max-width: 52rem; }
.plain li + li { margin-top: 0.4rem; }
.legend { display: grid; grid-template-columns: max-content 1fr; gap: 0.4rem 1.25rem; }
.mark { display: inline-flex; gap: 0.4rem; align-items: flex-start; font-size: 0.9375rem; }
.mark .icon { margin-top: 0.18em; }
footer { margin-top: 3rem; padding-bottom: 3rem; color: var(--soft); font-size: 0.875rem; }
footer p { padding-top: 1.25rem; border-top: 1px solid var(--line); }
@media (max-width: 34rem) {
  .legend { grid-template-columns: 1fr; gap: 0.1rem; }
  .legend dd { margin-bottom: 0.6rem; }
  .asked th, .asked td { font-size: 0.8125rem; }
  .asked th:nth-child(1) { width: 24%; }
  .asked th:nth-child(2) { width: 21%; }
}
@media print {
  :root {
    color-scheme: light;
    --paper: #fff; --sheet: #f4f4f4; --ink: #000; --soft: #444; --line: #bbb; --link: #000;
    --clean: #17693a; --violation: #a31515; --warning: #6b4300; --notice: #0b3f78; --none: #444;
  }
  @page { margin: 18mm 16mm; }
  body { font-size: 9.5pt; }
  header, nav, main, footer { max-width: none; padding-inline: 0; }
  header { padding-top: 0; }
  nav, .skip { display: none; }
  a { text-decoration: none; }
  h2, h3, h4, caption { break-after: avoid; }
  tr, blockquote, .score { break-inside: avoid; }
  thead { display: table-header-group; }
  pre { border: 1px solid var(--line); font-size: 8pt; max-height: none; }
}
`

/** The SHA-256 of the stylesheet, for the policy of the page. A test tells it anew when the stylesheet changes. */
export const styleHash = 'sha256-M223PHO4wYMX4GuHEZCC8yIks5XW5UnEDvA7TZV/6DI='
