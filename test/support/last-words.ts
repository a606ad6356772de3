import type { Reporter, TestCase, TestModule, TestRunEndReason } from 'vitest/node'

/** Says last which tests this machine has skipped: their titles name what they need, or what they are about. */
export class Skipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: TestRunEndReason): void {
    if (reason === 'interrupted') return
    const skipped = modules.flatMap((module) => {
      // A filter by name skips most of them.
      const { testNamePattern } = module.project.config
      if (testNamePattern !== undefined) return []
      return [...module.children.allTests('skipped')].map(lineOf)
    })
    if (skipped.length === 0) return
    const lines = [...new Set(skipped)].toSorted()
    console.log(`\nSkipped on this machine, ${skipped.length} tests:\n${lines.join('\n')}\n`)
  }
}

const lineOf = ({ module, fullName }: TestCase): string =>
  `  ${module.relativeModuleId}: ${fullName}`
