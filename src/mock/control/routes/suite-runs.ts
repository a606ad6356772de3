import { UsageError } from '../../../errors.ts'
import type { Sandbox } from '../../sandbox/types.ts'
import type { Mock } from '../../sandbox/mock.ts'
import type { NewBaseline, NewRun, RunProgress, SuiteRun } from '../../schemas/schemas.gen.ts'

/** The part of a report that the control API reads. */
export type SuiteReport = Required<Pick<SuiteRun, 'verdict' | 'counts'>>

/** The target of a run: this mock, in a separate sandbox, or a deployment by its configured name. */
type SuiteTarget = { baseUrl: string; apiKey: string; now: Date } | { deployment: string }

/** The contract suite. The command line passes it in, since the mock does not import it. */
export interface Suite {
  /** The names of the deployments that the suite may run against. */
  deployments: () => Promise<readonly string[]>
  /** @throws {UsageError} when it cannot start, such as without a key; `show` gets the progress. */
  verify: (
    target: SuiteTarget,
    options: Omit<NewRun, 'deployment'> & {
      show: (progress: RunProgress) => void
      signal: AbortSignal
    },
  ) => Promise<SuiteReport>
  /** The findings in one line. */
  summarize: (report: SuiteReport) => string
  /** Returns undefined when there is no such reporter. */
  render: (report: SuiteReport, reporter: string) => string | undefined
  compare: (before: SuiteReport, after: SuiteReport) => object
  /** @throws {UsageError} when the terms are invalid, or there are no failures. */
  toBaseline: (report: SuiteReport, terms: NewBaseline) => object
}

interface KeptRun {
  run: SuiteRun
  report?: SuiteReport
  controller: AbortController
}

export type Runs = ReturnType<typeof createRuns>

const maxRuns = 20
/** Requests of a cancelled run may arrive this much later. */
const lateMs = 1_000
/** Pets that are copied for a run; with more, it has the initial ones. */
const maxPets = 10_000

/** The runs of one mock: one at a time, the latest 20. `closing` is aborted when the mock closes. */
export function createRuns(
  { mock, baseUrl }: { mock: Pick<Mock, 'sandboxes'>; baseUrl: () => string },
  suite: () => Promise<Suite>,
  closing: AbortSignal,
) {
  let kept: KeptRun[] = []
  let number = 0
  let version = 0

  function change(one: KeptRun, changes: Partial<SuiteRun>): void {
    one.run = { ...one.run, ...changes }
    version += 1
  }

  async function carryOut(one: KeptRun, sandbox: Sandbox, { deployment, ...options }: NewRun) {
    const signal = AbortSignal.any([one.controller.signal, closing])
    const show = (progress: RunProgress): void => change(one, { progress })
    const name = `run-${crypto.randomUUID().slice(0, 8)}`
    try {
      const target = deployment === undefined ? copySandbox(sandbox, name) : { deployment }
      const { verify, summarize } = await suite()
      const report = await verify(target, { ...options, show, signal })
      one.report = report
      const { verdict, counts } = report
      const state = one.controller.signal.aborted ? 'cancelled' : 'ended'
      end(one, { state, verdict, counts, summary: summarize(report) })
    } catch (error) {
      end(one, {
        state: 'failed',
        message: error instanceof UsageError ? error.message : 'The run failed.',
      })
    } finally {
      mock.sandboxes.delete(name)
      // A late request of a cancelled run would create the sandbox again.
      if (signal.aborted) setTimeout(() => mock.sandboxes.delete(name), lateMs).unref()
    }
  }

  const end = (one: KeptRun, changes: Partial<SuiteRun>): void =>
    change(one, { endedAt: new Date().toISOString(), ...changes })

  /** A copy of a sandbox with its behavior, clock and pets, but without rules. */
  function copySandbox({ catalog, clock, settings }: Sandbox, name: string): SuiteTarget {
    const copy = mock.sandboxes.get(name)
    const { profile, defects } = settings
    copy.removeRules()
    copy.configure({ profile, defects, explain: false })
    if (catalog.size <= maxPets) copy.catalog.import(catalog.export())
    copy.clock.set(clock.now(), { frozen: clock.frozen })
    return { baseUrl: baseUrl(), apiKey: copy.key, now: copy.clock.now() }
  }

  return {
    /** Counts all changes. */
    get version(): number {
      return version
    },
    get current(): SuiteRun | undefined {
      return kept.find(({ run }) => run.state === 'running')?.run
    },
    list: ({ name }: Sandbox): SuiteRun[] =>
      kept.filter(({ run }) => run.sandbox === name).map(({ run }) => run),
    find: (id: string, { name }: Sandbox): KeptRun | undefined =>
      kept.find(({ run }) => run.id === id && run.sandbox === name),
    start(sandbox: Sandbox, options: NewRun): SuiteRun {
      number += 1
      const { name } = sandbox
      const one: KeptRun = {
        controller: new AbortController(),
        run: {
          id: `run-${number}`,
          target: options.deployment ?? 'mock',
          sandbox: name,
          startedAt: new Date().toISOString(),
          state: 'running',
          progress: { done: 0, of: 0 },
        },
      }
      kept = [...kept, one].slice(-maxRuns)
      version += 1
      void carryOut(one, sandbox, options)
      return one.run
    },
    /** Cancels a run, or deletes one that has ended. */
    remove(one: KeptRun): void {
      if (one.run.state === 'running') one.controller.abort()
      else kept = kept.filter((other) => other !== one)
      version += 1
    },
  }
}
