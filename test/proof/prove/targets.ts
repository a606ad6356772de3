import { conforming } from '../../../src/verify/conforming.ts'
import type { Report } from '../../../src/contract/index.ts'
import type { defects } from '../../../src/mock/index.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { verdictOf } from '../../support/verdicts.ts'
import { verifyVariant } from '../../support/verify-variant.ts'
import type { ConformingVariant } from '../../support/variants/conforming-variant.ts'

/** A run of the suite against one server. */
export interface Proof {
  id: string
  /** The requirement that a defect violates. */
  requirement?: string
  report: Report
  /** Whether the verdict is correct. */
  right: boolean
}

/** Verifies the mock with one defect, whose requirement must be reported, beside what a conforming service says. */
export async function proveDefect(
  { id, requirement, pets }: (typeof defects)[number],
  onProgress?: (line: string) => void,
): Promise<Proof> {
  const options = { conforming, ...(onProgress && { onProgress }) }
  const report = await verifyMock({ pets: pets ?? 130, defects: [id] }, options)
  return { id, requirement, report, right: verdictOf(report, requirement) === 'violated' }
}

/** Verifies a conforming variant, for which no violation must be reported. */
export async function proveVariant(variant: ConformingVariant): Promise<Proof> {
  const [report] = (await verifyVariant(variant)) as [Report]
  // After its key has expired, nothing can be verified.
  const isOpen =
    variant.options?.keyEndsAfter !== undefined ||
    variant.verifyOptions?.expectInconclusive === true
  return {
    id: variant.id,
    report,
    right:
      report.findings.length === 0 && report.verdict === (isOpen ? 'not-verified' : 'conforms'),
  }
}

/** Runs a task for each item, a few at a time. */
export async function forAll<Item, Result>(
  items: readonly Item[],
  task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = [...items.entries()]
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift())
      results[next[0]] = await task(next[1])
  }
  await Promise.all([work(), work(), work(), work()])
  return results
}
