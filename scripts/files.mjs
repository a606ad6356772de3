import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The paths of all files below a folder, relative to it. */
export function filesIn(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}
