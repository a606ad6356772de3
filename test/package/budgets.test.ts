/** What is kept small: docs/project/decisions.md says why a budget is what it is, and raising one needs a line there. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Lines of TypeScript and JavaScript at most. 3,000 is the aim. */
const budgets: readonly (readonly [folders: readonly string[], lines: number])[] = [[['scripts', 'bench'], 4_800]]

function linesOf(folder: string): number {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .reduce((sum, entry) => sum + readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n').length - 1, 0)
}

test.each(budgets)('%s have at most %d lines', (folders, most) => {
  expect(folders.reduce((sum, folder) => sum + linesOf(folder), 0)).toBeLessThanOrEqual(most)
})
