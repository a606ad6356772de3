/** `npm run test:all`: all that there is, before a release. Takes hours, and the npm registry. */
import { spawnSync } from 'node:child_process'

const steps = ['test', 'test:slow', 'prove', 'test:install', 'test:deploy', 'test:clients', 'test:matrix']
const failed = steps.filter((step) => {
  console.log(`\n== ${step}`)
  const env = { ...process.env, ...(step === 'test:slow' && { TEST_LEVEL: 'all' }) }
  return spawnSync('npm', ['run', step, '--silent'], { stdio: 'inherit', env }).status !== 0
})
console.log(failed.length === 0 ? '\ntest:all: all green' : `\ntest:all: failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
