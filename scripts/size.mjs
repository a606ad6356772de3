/** `npm run size`: builds, measures what users download, and writes docs/size.md. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { runnerImport } from 'vite'

const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'build.mjs')], { stdio: ['ignore', 2, 2] })
if (status !== 0) process.exit(1)
const { module } = await runnerImport(join(import.meta.dirname, 'size/main.ts'))
await module.main()
