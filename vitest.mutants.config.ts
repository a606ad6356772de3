import { defineConfig } from 'vitest/config'

/** The change that the running mutant makes to one file of src. */
interface Mutant {
  file: string
  start: number
  end: number
  text: string
}

/** `npm run mutants`: the unit tests over code with one small change, which scripts/mutants.mjs chooses. */
export default defineConfig({
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform(code, id) {
        const { mutant } = globalThis as { mutant?: Mutant }
        if (mutant === undefined || id.split('?', 1)[0] !== mutant.file) return undefined
        return code.slice(0, mutant.start) + mutant.text + code.slice(mutant.end)
      },
    },
  ],
  test: {
    include: ['test/unit/{mock,control,scorecard,contract,report,reporters}/**/*.test.ts'],
    setupFiles: 'test/support/seed.ts',
    isolate: false,
    maxWorkers: 2,
    bail: 1,
    // What measures time fails on a busy machine, whatever the mutant.
    testNamePattern: /^(?!.*linear time)/,
    retry: 1,
    // A busy machine is no failing test; what loops is ended by the script.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
