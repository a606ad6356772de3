/** Which files know that several mocks may share their sandboxes: `mock/shared`, and few beside it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../../../src')

/** Where sharing is chosen, by options and at the start, and who waits for it. */
const known = [
  'cli/mock/mock-flags.ts',
  'cli/mock/mock-options.ts',
  'cli/mock/mock-run.ts',
  'mock/start.ts',
]

/** The words for it, in code and in comments. The suite speaks of deployments, which share other things. */
const words =
  /shared|sharing|replica|\bengine\b|\b(?:all|another|each|other) mocks? (?:that |to )?share/i

const readable = (path: string): boolean =>
  /^(?:mock|cli|console|proxy)\/.*\.tsx?$/.test(path) &&
  !/\.gen\.ts$|^mock\/(?:shared|defects)\//.test(path)

test('few files beside mock/shared name sharing', () => {
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (path) => readable(path) && words.test(readFileSync(join(src, path), 'utf8')),
  )
  expect(
    found.toSorted(),
    'A mock does not know how many there are. Let src/mock/shared give what it needs at the start: the options of ' +
      '`createInnerMock` (`ofSandboxes`), those of the control API (`ofControl`), `respond` and `metrics`. For anything ' +
      'else that is shared, use another word. A file that no longer names sharing leaves the list, which has at most eight.',
  ).toEqual(known)
  expect(known.length).toBeLessThanOrEqual(8)
})
