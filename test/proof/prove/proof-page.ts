import { knownEscapes, seldomNamed } from '../broken/known-escapes.ts'
import type { Often, OftenFigures, PeerFigures } from './figures.ts'
import type { Proof } from './targets.ts'

/** Generates docs/explanation/proof.md. */
export function toProofPage(
  broken: readonly Proof[],
  conforming: readonly Proof[],
  single: Proof,
  { often, peer }: { often?: OftenFigures | undefined; peer?: PeerFigures | undefined } = {},
): string {
  const caught = broken.filter(({ right }) => right)
  const passed = conforming.filter(({ right }) => right)
  const { counts, durationMs } = single.report
  return [
    '<!-- Written by `npm run prove`. -->',
    '# Proof',
    '',
    'The mock can break the contract on purpose, and the suite must name the requirement that is broken. Conforming variants are',
    'servers that differ only where the specification is silent; the suite must not report a violation for any of them. This page',
    'shows the results.',
    '',
    '| what | number |',
    '| --- | --- |',
    `| deliberate defects, each breaking one requirement | ${broken.length} |`,
    `| caught, with that requirement named | ${caught.length} |`,
    `| conforming variants | ${conforming.length} |`,
    `| accepted | ${passed.length} |`,
    `| requests of a run against the mock with 130 pets | ${counts.requests} |`,
    `| pets that the run creates | ${counts.writes} |`,
    `| duration | ${(durationMs / 1000).toFixed(1)} s |`,
    '',
    ...(often ? oftenSection(often) : []),
    ...(peer ? peerSection(peer) : []),
    ...missed('Escaped', broken),
    ...missed('Wrongly reported', conforming),
    '## Checks that report each defect',
    '',
    'The checks that name the requirement. `every-response` checks each response of every check.',
    '',
    '| defect | requirement | reported by |',
    '| --- | --- | --- |',
    ...broken.map(
      ({ id, requirement, report }) =>
        `| ${id} | ${requirement} | ${reportedBy(report, requirement).join(', ')} |`,
    ),
    '',
  ].join('\n')
}

const reasons: Readonly<Record<string, string>> = { ...knownEscapes, ...seldomNamed }

function oftenSection({ runs, defects, broken }: OftenFigures): string[] {
  const line = (what: string, all: readonly Often[]): string => {
    const sure = all.filter(({ standard }) => standard === runs).length
    const sureThorough = all.filter(({ thorough }) => thorough === runs).length
    return `| ${what} | ${all.length} | ${sure} | ${sureThorough} |`
  }
  const rest = [...defects, ...broken].filter(({ standard }) => standard < runs)
  return [
    '## How often faults are caught',
    '',
    `\`npm run prove -- --often\` runs the suite ${runs} times against each fault, with concurrent requests. The depth \`thorough\``,
    'runs the standard checks first, and was measured only for faults that the standard depth sometimes misses. Faults that were not',
    'measured this way were caught in the single run of this proof.',
    '',
    `| what | number | caught in ${runs} of ${runs} runs | with \`--depth thorough\` |`,
    '| --- | --- | --- | --- |',
    line('deliberate defects', defects),
    line('broken servers', broken),
    '',
    ...(rest.length === 0
      ? []
      : [
          'Caught in fewer runs:',
          '',
          '| what | standard | thorough | why |',
          '| --- | --- | --- | --- |',
        ]),
    ...rest.map(
      ({ id, standard, thorough }) =>
        `| ${id} | ${standard} | ${thorough} | ${reasons[id] ?? ''} |`,
    ),
    '',
  ]
}

function peerSection({
  version,
  every,
  examples,
  leftOut,
  kit,
  peer,
  wrongly,
}: PeerFigures): string[] {
  const row = (
    tool: string,
    { caught, wronglyReported, requests, seconds }: PeerFigures['kit'],
  ): string => `| ${tool} | ${caught} | ${wronglyReported} | ${requests} | ${seconds.toFixed(1)} |`
  return [
    '## Comparison with Schemathesis',
    '',
    `\`npm run prove -- --peer schemathesis${every === 1 ? '' : ` --every ${every}`}\` runs Schemathesis ${version} over ${every === 1 ? 'all' : `one in ${every} of the`}`,
    'broken servers and conforming variants, over sockets, on the same machine as the kit. Schemathesis gets the OpenAPI',
    `document of the kit, the key, all its phases, ${examples} examples for each operation, and skips what the`,
    'specification does not define:',
    '',
    ...Object.entries(leftOut).map(([check, why]) => `- \`${check}\`: ${why}`),
    '- `negative_data_rejection` of the two reads: an undescribed `limit`, `status` or `petId` may be accepted',
    '',
    '| tool | broken servers caught | conforming variants wrongly reported | requests of a run | seconds of a run |',
    '| --- | --- | --- | --- | --- |',
    row('petstore-kit', kit),
    row('Schemathesis', peer),
    '',
    'Requests and seconds are medians of all runs; for Schemathesis, requests are its test cases. Schemathesis works with any API',
    'that has an OpenAPI document; the kit only knows this API, including requirements that a schema cannot express.',
    '',
    ...(wrongly.length === 0 ? [] : [`Wrongly reported: ${wrongly.join(', ')}.`, '']),
  ]
}

function reportedBy({ requirements }: Proof['report'], id: string | undefined): string[] {
  return requirements.find((requirement) => requirement.id === id)?.checks.toSorted() ?? []
}

function missed(title: string, proofs: readonly Proof[]): string[] {
  const wrong = proofs.filter(({ right }) => !right)
  return wrong.length === 0 ? [] : [`## ${title}`, '', ...wrong.map(({ id }) => `- ${id}`), '']
}
