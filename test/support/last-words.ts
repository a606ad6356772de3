import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule, TestRunEndReason, Vitest } from 'vitest/node'

import { seed } from './level.ts'

/**
 * Says last which tests this machine has skipped, whose titles name what they need, or what they are about; and how to
 * repeat what failed with the samples and values of another seed than the usual one.
 */
export class LastWords implements Reporter {
  #config = ''

  onInit({ vite }: Vitest): void {
    this.#config = relative('.', vite.config.configFile || '')
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: TestRunEndReason): void {
    if (reason === 'interrupted') return
    const skipped = modules.flatMap((module) => {
      // A filter by name skips most of them.
      const { testNamePattern } = module.project.config
      if (testNamePattern !== undefined) return []
      return [...module.children.allTests('skipped')].map(lineOf)
    })
    if (skipped.length > 0) {
      const lines = [...new Set(skipped)].toSorted()
      console.log(`\nSkipped on this machine, ${skipped.length} tests:\n${lines.join('\n')}\n`)
    }
    const failed = modules.filter((module) => !module.ok())
    if (failed.length > 0 && seed !== 1) console.log(`\n${this.#repeat(failed)}\n`)
  }

  #repeat(failed: readonly TestModule[]): string {
    const level = process.env['TEST_LEVEL']
    const words = [
      `TEST_SEED=${seed}`,
      ...(level === undefined ? [] : [`TEST_LEVEL=${level}`]),
      'npx vitest run',
      ...(this.#config === 'vitest.config.ts' ? [] : [`--config ${this.#config}`]),
      ...failed.map(({ relativeModuleId }) => relativeModuleId),
    ]
    return `The samples and values of this run are those of its seed. What failed is repeated by\n  ${words.join(' ')}`
  }
}

const lineOf = ({ module, fullName }: TestCase): string =>
  `  ${module.relativeModuleId}: ${fullName}`
