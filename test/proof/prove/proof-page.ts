import type { Proof } from './targets.ts'

/** docs/explanation/proof.md: what the suite was tried on, and what it said. */
export function toProofPage(broken: readonly Proof[], lawful: readonly Proof[], single: Proof): string {
  const caught = broken.filter(({ right }) => right)
  const passed = lawful.filter(({ right }) => right)
  const { counts, durationMs } = single.report
  const clauses = [...new Set(broken.map(({ clause }) => clause ?? ''))].toSorted()
  return [
    '<!-- Written by `npm run prove`. -->',
    '# Proof',
    '',
    'The mock can break the contract on purpose, and the suite must name the clause that is broken. Beside the deviations',
    'stand the lawful twins: servers that others could have written, which differ wherever the specification is silent. Not',
    'one of them may be accused.',
    '',
    '| what | number |',
    '| --- | --- |',
    `| deviations, each breaking one clause | ${broken.length} |`,
    `| caught, with that clause named | ${caught.length} |`,
    `| lawful twins | ${lawful.length} |`,
    `| not accused | ${passed.length} |`,
    `| requests of a run against the mock with 130 pets | ${counts.requests} |`,
    `| pets that it creates | ${counts.writes} |`,
    `| time that it takes | ${(durationMs / 1000).toFixed(1)} s |`,
    '',
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
    '| deviation | clause | reported by |',
    '| --- | --- | --- |',
    ...broken.map(({ id, clause, report }) => `| ${id} | ${clause} | ${reportedBy(report, clause).join(', ')} |`),
    '',
  ].join('\n')
}

function reportedBy({ clauses }: Proof['report'], id: string | undefined): string[] {
  return clauses.find((clause) => clause.id === id)?.checks.toSorted() ?? []
}

function missed(title: string, proofs: readonly Proof[]): string[] {
  const wrong = proofs.filter(({ right }) => !right)
  return wrong.length === 0 ? [] : [`## ${title}`, '', ...wrong.map(({ id }) => `- ${id}`), '']
}
