/**
 * Runs all checks that must pass before a commit. `--skip STEP` omits a step, such as tests that `.ci/run` already ran.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const steps = [
  'build',
  'lint',
  'format:check',
  'types',
  'test',
  'dead-code',
  'expressions',
  'package',
]

const { values } = parseArgs({ options: { skip: { type: 'string', multiple: true, default: [] } } })
const unknown = values.skip.filter((step) => !steps.includes(step))
if (unknown.length > 0) {
  console.error(`Unknown step: ${unknown.join(', ')}. The steps are ${steps.join(', ')}.`)
  process.exit(2)
}

const failed = []
for (const step of steps.filter((name) => !values.skip.includes(name))) {
  console.log(`\n== ${step}`)
  const startedAt = performance.now()
  const { status } = spawnSync(`npm run ${step} --silent`, { stdio: 'inherit', shell: true })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`== ${step}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`)
  if (status !== 0) failed.push(step)
}

console.log(failed.length === 0 ? '\ncheck: passed' : `\ncheck: failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
