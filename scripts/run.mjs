/**
 * Builds, then runs the command from dist/ in this process, for `npm start` and `npm run verify`.
 *
 * npm starts a script through a shell. Some shells do not forward signals, and the mock would keep its port, so the
 * command ends when its parent ends.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const parent = process.ppid
const build = join(import.meta.dirname, 'build.mjs')
const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', 2, 2] })
if (status !== 0) process.exit(1)

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
}, 200).unref()

process.argv[1] = join(import.meta.dirname, '../dist/bin/petstore.js')
await import('../dist/bin/petstore.js')
