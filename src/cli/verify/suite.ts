import type { Report } from '../../verify/index.ts'
import type { Suite } from '../../mock/control/routes/suite-runs.ts'
import { parseFlags } from '../../options.ts'
import * as contract from '../../verify/index.ts'
import { verdictSummary } from '../../contract/reporters/digest.ts'
import type { Console } from '../command.ts'
import { readConfiguration } from '../deployments.ts'
import { verifyFlags } from './verify-flags.ts'
import { readRunOptions } from './verify-options.ts'

/** The mock itself shows a new pet after a quarter of a second at the latest. */
const ownWindowMs = 1_000

/**
 * The contract suite for the control API of a mock. Deployments and their keys come only from the configuration and
 * the environment: a web page can select them by name, but add none.
 *
 * @param withDeployments whether it may run against deployments at all
 */
export function createSuite(console: Console, withDeployments: boolean): Suite {
  return {
    async deployments() {
      const configuration = withDeployments
        ? await readConfiguration(undefined, console.folder)
        : undefined
      return [...(configuration?.deployments.keys() ?? [])]
    },
    async verify(target, { show, signal, readOnly = false, only = [], skip = [] }) {
      const args = readOnly ? ['--read-only'] : []
      const input =
        'deployment' in target
          ? (
              await readRunOptions(
                console,
                parseFlags(verifyFlags, args, console.env),
                target.deployment,
              )
            ).input
          : { ...target, readOnly, allowWrites: true, settleMs: ownWindowMs }
      const onCheck = (check: string, done: number, of: number): void => show({ check, done, of })
      return contract.verify({ ...input, only, skip, signal, onCheck })
    },
    summarize: (report) => verdictSummary(report as Report),
    render: (report, reporter) => contract.reporters[reporter]?.(report as Report),
    compare: (before, after) => contract.compareReports(before as Report, after as Report),
    toBaseline: (report, terms) =>
      contract.readBaseline(contract.toBaseline(report as Report, terms), 'the baseline'),
  }
}
