import { count, toInertJson } from '../../report/text.ts'
import { html, terms, titled, toPage, utc } from '../../report/html.ts'
import { varyProfile } from '../../mock/sandbox/profile.ts'
import { defaultProfile } from '../../mock/sandbox/settings.ts'
import { periodOf } from '../../mock/scorecard/reporters.ts'
import type { Scorecard } from '../../mock/index.ts'
import type { ControlSchemas } from '../../control.ts'
import { version } from '../../spec/version.ts'

/** Certifies that clients keep the contract: which kit, when, with which mock, and how much they tried. */
export function certify(
  cards: readonly Scorecard[],
  mock: string,
  settings: ControlSchemas['Settings'],
  minima: { score: number; coverage: number },
) {
  const { seed, profile, defects } = settings
  const usual: Readonly<Record<string, string>> = defaultProfile
  return {
    certificate: 1,
    kit: version,
    issuedAt: new Date().toISOString(),
    minima,
    mock: {
      url: mock,
      seed,
      vary: variedBy(profile),
      /** Options that differ from the defaults. */
      options: Object.fromEntries(
        Object.entries(profile).filter(([id, option]) => usual[id] !== option),
      ),
      defects,
    },
    clients: cards.map(({ subject, requests, score, coverage, firstAt, lastAt }) => ({
      subject,
      requests,
      score,
      coverage: coverage.percent,
      neverTried: coverage.neverTried.map(({ operation, what }) => `${operation}: ${what}`),
      firstAt,
      lastAt,
    })),
  }
}

/** The seed of `--vary` that gives this profile; undefined if another source chose options, or for seeds from 10,000. */
function variedBy(profile: Readonly<Record<string, string | undefined>>): number | undefined {
  const drawn = Object.entries(profile).filter(([id]) => id !== 'auth.write-permission')
  for (let seed = 0; seed < 10_000; seed += 1) {
    const other: Readonly<Record<string, string>> = varyProfile(seed)
    if (drawn.every(([id, option]) => other[id] === option)) return seed
  }
  return undefined
}

type Certificate = ReturnType<typeof certify>

export const certificateFormats = { json: toInertJson, html: toHtml }

function toHtml({ kit, issuedAt, minima, mock, clients }: Certificate): string {
  const options = Object.entries(mock.options).map(([id, option]) => `${id}=${option}`)
  const facts = [
    ['Issued', utc(issuedAt)],
    ['petstore-kit', kit],
    ['Minimum score', String(minima.score)],
    ['Minimum coverage', `${minima.coverage}%`],
    ['Mock', mock.url],
    ['Seed', String(mock.seed)],
    ...(mock.vary === undefined ? [] : [['--vary', String(mock.vary)] as const]),
    ['Options changed', options.join(', ') || 'none'],
    ['Deliberate defects', mock.defects.join(', ') || 'none'],
  ] as const
  const lowest = (of: (client: Certificate['clients'][number]) => number): number =>
    Math.min(...clients.map(of))
  const requests = count(
    clients.reduce((sum, client) => sum + client.requests, 0),
    'request',
  )
  const cards = clients.map(
    ({ subject, score, coverage, requests, firstAt, lastAt, neverTried }) => {
      const results = [
        ['Score', `${score} of 100`],
        ['Coverage', `${coverage}%`],
        ['Requests', `${requests}${periodOf(firstAt, lastAt)}`],
        ['Never tried', neverTried.join('; ') || 'nothing'],
      ] as const
      return html`<article>
        <h3>${subject}</h3>
        ${terms('facing', results)}
      </article>`
    },
  )
  return toPage({
    title: 'Certificate of clients of the Pet Store Service',
    skip: 'Skip to the clients',
    kind: 'Certificate',
    heading: `A score of ${lowest((one) => one.score ?? 0)} of 100 in ${requests}, coverage ${lowest((one) => one.coverage)}%`,
    main: [
      ['Clients', titled('clients', 'Clients', ...cards)],
      ['How they were tested', titled('run', 'How they were tested', terms('facing', facts))],
    ],
    footer:
      'Created by petstore-kit from the requests in the journal of its mock. It is not signed.',
  })
}
