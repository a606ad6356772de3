/** Size budgets. docs/project/decisions.md has the reason for each, and needs a line for each increase. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** Maximum lines and files of TypeScript and JavaScript, and the aim. Budgets only grow with a line there. */
const budgets: readonly { folders: string[]; except?: string; lines: number; files?: number; aim: string }[] = [
  { folders: ['src'], except: 'src/console/', lines: 32_799, files: 213, aim: '22,000 lines in 160 files' },
  { folders: ['src/console'], lines: 3_825, aim: '3,700 lines with all screens' },
  { folders: ['scripts', 'bench'], lines: 2_402, aim: '3,000 lines' },
  { folders: ['test'], lines: 39_305, aim: '26,000 lines' },
]

/** The maximum lines of a file of src, except tables. */
const maxLines = 300
const tables = ['src/contract/seen-by.ts', 'src/mock/deviations/', 'src/mock/scorecard/rules.ts', 'src/spec/']

interface File {
  path: string
  lines: number
}

function filesOf(folder: string): File[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/') }))
    .filter(
      ({ entry, path }) => entry.isFile() && /\.([jt]sx?|mjs)$/.test(path) && !/node_modules|\.gen\.ts|\/\./.test(path),
    )
    .map(({ path }) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 }))
}

describe.each(budgets)('$folders (aim: $aim)', ({ folders, except, lines, files }) => {
  const all = folders.flatMap(filesOf).filter(({ path }) => except === undefined || !path.startsWith(except))
  test(`has at most ${lines} lines`, () => {
    expect(all.reduce((sum, file) => sum + file.lines, 0)).toBeLessThanOrEqual(lines)
  })
  test.runIf(files)(`has at most ${files} files`, () => {
    expect(all.length).toBeLessThanOrEqual(files ?? 0)
  })
})

test(`a file of src has at most ${maxLines} lines, unless it is a table`, () => {
  const isTable = (path: string): boolean => tables.some((table) => path.startsWith(table))
  const long = filesOf('src').filter(({ path, lines }) => !isTable(path) && lines > maxLines)
  expect(long).toEqual([])
})
