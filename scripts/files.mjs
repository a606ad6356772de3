import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns the paths of all files below a folder, relative to it. */
export function filesIn(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

/** Formats a file that a command has written. */
export function format(file) {
  spawnSync('npx', ['oxfmt', file], { stdio: 'ignore', shell: process.platform === 'win32' })
}

/** Writes a file unless it already has this text, so that readers of the file are not disturbed. */
export function writeChanged(file, text, mode = 0o644) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  // A umask, such as 077, changes the mode of a new file, and an old one keeps its mode.
  chmodSync(file, mode)
}
