/** `node scripts/run-ts.mjs NAME [options]`: builds, then runs `main` of scripts/NAME.ts, which Node 20 cannot run. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

import { runnerImport } from 'vite'

const [name, ...args] = process.argv.slice(2)
const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'build.mjs')], {
  stdio: ['ignore', 2, 2],
})
if (status !== 0) process.exit(1)
const { module } = await runnerImport(join(import.meta.dirname, `${name}.ts`))
process.exitCode = await module.main(args)
