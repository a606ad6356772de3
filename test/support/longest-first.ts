import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node'

/** Begins with the project `apart`, then with the files whose paths contain the first of these texts, and so on. */
export const longestFirst = (paths: readonly string[]): TestSequencerConstructor =>
  class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rank = ({ moduleId, project }: TestSpecification): number => {
        if (project.name === 'apart') return -1
        const place = paths.findIndex((path) => moduleId.includes(path))
        return place < 0 ? paths.length : place
      }
      return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
    }
  }
