import { knownEscapes, seldomNamed } from '../broken/known-escapes.ts'
import type { Often, OftenFigures, PeerFigures } from './figures.ts'
import type { Proof } from './targets.ts'

/** docs/explanation/proof.md: what the suite was tried on, and what it said. */
export function toProofPage(
  broken: readonly Proof[],
  lawful: readonly Proof[],
  single: Proof,
  { often, peer }: { often?: OftenFigures | undefined; peer?: PeerFigures | undefined } = {},
): string {
  const caught = broken.filter(({ right }) => right)
  const passed = lawful.filter(({ right }) => right)
  const { counts, durationMs } = single.report
  const clauses = [...new Set(broken.map(({ clause }) => clause ?? ''))].toSorted()
  return [
    '<!-- Written by `npm run prove`. -->',
    '# Proof',
    '',
    'The mock can break the contract on purpose, and the suite must name the clause that is broken. Beside the deviations',
    'stand the conforming variants: servers that others could have written, which differ wherever the specification is silent. Not',
    'one of them may be reported.',
    '',
    '| what | number |',
    '| --- | --- |',
    `| deliberate defects, each breaking one requirement | ${broken.length} |`,
    `| caught, with that requirement named | ${caught.length} |`,
    `| conforming variants | ${lawful.length} |`,
    `| accepted | ${passed.length} |`,
    `| requests of a run against the mock with 130 pets | ${counts.requests} |`,
    `| pets that it creates | ${counts.writes} |`,
    `| time that it takes | ${(durationMs / 1000).toFixed(1)} s |`,
    '',
    ...(often ? oftenSection(often) : []),
    ...(peer ? peerSection(peer) : []),
    ...missed('Escaped', broken),
    ...missed('Accused', lawful),
    '## Deviations by clause',
    '',
    '| clause | deviations | caught |',
    '| --- | --- | --- |',
    ...clauses.map((clause) => {
      const its = broken.filter((proof) => proof.clause === clause)
      return `| ${clause} | ${its.length} | ${its.filter(({ right }) => right).length} |`
    }),
    '',
    '## Which checks report which deviation',
    '',
    'The checks that name the clause. `every-response` judges each answer, whatever check asked for it.',
    '',
    `| deviation | clause | ${often ? `caught in ${often.runs} runs` : 'caught'} | reported by |`,
    '| --- | --- | --- | --- |',
    ...broken.map(({ id, clause, report, right }) => {
      const times = often?.deviations.find((one) => one.id === id)?.standard ?? (right ? 'yes' : 'no')
      return `| ${id} | ${clause} | ${times} | ${reportedBy(report, clause).join(', ')} |`
    }),
    '',
  ].join('\n')
}

const reasons: Readonly<Record<string, string>> = { ...knownEscapes, ...seldomNamed }

function oftenSection({ runs, deviations, broken }: OftenFigures): string[] {
  const line = (what: string, all: readonly Often[]): string => {
    const sure = all.filter(({ standard }) => standard === runs).length
    const sureThorough = all.filter(({ thorough }) => thorough === runs).length
    return `| ${what} | ${all.length} | ${sure} | ${sureThorough} |`
  }
  const rest = [...deviations, ...broken].filter(({ standard }) => standard < runs)
  return [
    '## How often',
    '',
    `Looked for in ${runs} runs each, whose requests overtake each other: \`npm run prove -- --often\`. The depth \`thorough\``,
    'carries out the checks of the standard one first, and is measured where that misses some. What is not measured',
    'was caught in the one run of this proof, which does not say how often others catch it.',
    '',
    `| what | number | caught in ${runs} of ${runs} runs | with \`--depth thorough\` |`,
    '| --- | --- | --- | --- |',
    line('deviations of the mock', deviations),
    line('broken servers', broken),
    '',
    ...(rest.length === 0
      ? []
      : ['Caught in fewer runs:', '', '| what | standard | thorough | why |', '| --- | --- | --- | --- |']),
    ...rest.map(({ id, standard, thorough }) => `| ${id} | ${standard} | ${thorough} | ${reasons[id] ?? ''} |`),
    '',
  ]
}

function peerSection({ version, every, examples, leftOut, kit, peer, wrongly }: PeerFigures): string[] {
  const row = (tool: string, { caught, wronglyReported, requests, seconds }: PeerFigures['kit']): string =>
    `| ${tool} | ${caught} | ${wronglyReported} | ${requests} | ${seconds.toFixed(1)} |`
  return [
    '## Beside Schemathesis',
    '',
    `\`npm run prove -- --peer schemathesis${every === 1 ? '' : ` --every ${every}`}\` runs Schemathesis ${version} over ${every === 1 ? 'all' : `one in ${every} of the`}`,
    'broken servers and conforming variants, over sockets, on the machine on which the kit runs. It gets the OpenAPI',
    `document of the kit, the key, all its phases, ${examples} examples for each operation, and leaves out what the`,
    'specification does not say:',
    '',
    ...Object.entries(leftOut).map(([check, why]) => `- \`${check}\`: ${why}`),
    '- `negative_data_rejection` of the two reads: an undescribed `limit`, `status` or `petId` may be accepted',
    '',
    '| tool | broken servers caught | conforming variants wrongly reported | requests of a run | seconds of a run |',
    '| --- | --- | --- | --- | --- |',
    row('petstore-kit', kit),
    row('Schemathesis', peer),
    '',
    'Requests and seconds are the middle of all runs; those of Schemathesis are its test cases. It works for any interface',
    'with a document; the kit knows this one, and its sentences that a schema cannot say.',
    '',
    ...(wrongly.length === 0 ? [] : [`Wrongly reported: ${wrongly.join(', ')}.`, '']),
  ]
}

function reportedBy({ clauses }: Proof['report'], id: string | undefined): string[] {
  return clauses.find((clause) => clause.id === id)?.checks.toSorted() ?? []
}

function missed(title: string, proofs: readonly Proof[]): string[] {
  const wrong = proofs.filter(({ right }) => !right)
  return wrong.length === 0 ? [] : [`## ${title}`, '', ...wrong.map(({ id }) => `- ${id}`), '']
}
