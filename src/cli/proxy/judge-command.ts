import { flagsOf } from '../../options.ts'
import { count } from '../../report/text.ts'
import { type Command, readInFlags, theWord } from '../command.ts'
import { judged, proxyFlags } from './proxy-command.ts'

const ofBoth = new Set('save save-profile keep-names fail-on reporter scorecard verbose'.split(' '))

/** What to do about an archive of which nothing could be judged. */
const advice = {
  none: 'Give the base URL of the deployment with --base-url.',
  other: 'Record requests to /pets, or give the base URL of the deployment with --base-url.',
  foreign: 'Record requests to the service, or give its base URL with --base-url.',
  unread:
    'Record responses with their bodies, too: "with content" in a browser, `content: embed` in Playwright.',
  rejected: 'Record requests with a valid key, to a deployment that is up.',
  failed: 'Record the traffic again when the deployment is up.',
}

export const command: Command = {
  usage: ['petstore judge FILE.har [options]'],
  about: `Judges traffic that was recorded as an HTTP archive (HAR), such as that of a browser's network
panel or of petstore verify --log: responses by the requirements that verify checks, requests by the rules of the scorecard.
It sends nothing. What recorded traffic cannot prove is reported as not verified.`,
  flags: [
    ...flagsOf('Target', {
      'base-url URL': {
        help: 'the base URL of the deployment (default: the one that the archive shows)',
      },
    }),
    ...proxyFlags.filter(({ name }) => ofBoth.has(name)),
  ],
  examples: [
    'petstore judge traffic.har',
    'petstore judge traffic.har --reporter html=report.html',
    'petstore judge traffic.har --base-url https://staging.example.com/v1',
  ],
  exitCodes: {
    ...judged,
    2: 'the command line is wrong, or the file is not an HTTP archive',
    3: 'the archive has nothing that could be judged, or no success of an operation',
  },
  async run(console, flags) {
    const file = theWord(flags, 'one HTTP archive', 'petstore judge traffic.har')
    const [{ baseUrlOf, readArchive }, { readBaseUrl }, { createJudge }, { openConclusion }] =
      await Promise.all([
        import('./archive.ts'),
        import('../../contract/session/options.ts'),
        import('../../proxy/judge.ts'),
        import('./conclusion.ts'),
      ])
    const { exchanges, baseUrl: known } = await readArchive(file)
    const given = flags.text('base-url') ?? known ?? baseUrlOf(exchanges, file)
    const baseUrl = readInFlags(flags, (issues) => readBaseUrl(given, issues))
    const conclude = await openConclusion(console, flags, { options: {}, access: {} })
    const judge = createJudge(baseUrl)
    const own = exchanges.filter(({ url: { origin, pathname } }) =>
      (origin + pathname).startsWith(`${baseUrl}/`),
    )
    const since = own[0]?.passed.at ?? 0
    for (const { passed } of own) judge.judge({ ...passed, sentAt: passed.at - since })
    return conclude(
      { ...judge, scorecards: () => judge.mock.scorecards() },
      {
        reason: `${file} has ${count(exchanges.length, 'request')}, but none below ${baseUrl}`,
        advice: (kind) => advice[kind],
      },
    )
  },
}
