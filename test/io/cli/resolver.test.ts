/** A name server that never responds, in a network namespace of its own. */
import { execFile, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { cli } from './command.ts'
import { makeFolder } from '../../support/folder.ts'

const canIsolate = spawnSync('unshare', ['-rmn', 'ip', 'link', 'set', 'lo', 'up']).status === 0

const script = `
mount --bind "$1/resolv.conf" /etc/resolv.conf && ip link set lo up || exit 90
node "$1/silent.mjs" > "$1/ready" &
while [ ! -s "$1/ready" ]; do sleep 0.05; done
shift
"$@"
code=$?
kill $!
exit $code
`
const files = {
  'resolv.conf': 'nameserver 127.0.0.1\noptions timeout:30 attempts:5\n',
  'silent.mjs': `import { createSocket } from 'node:dgram'
createSocket('udp4').bind(53, '127.0.0.1', () => console.log('ready'))`,
}

test.skipIf(!canIsolate).each([
  [
    ['health', 'http://petstore.example.test/v1', '--timeout', '1'],
    1,
    'the mock at http://petstore.example.test is not ready: it did not respond in 1 s',
  ],
  [
    ['verify', 'http://petstore.example.test/v1', '--key', 'k', '--timeout', '1', '--read-only'],
    3,
    'INCONCLUSIVE',
  ],
])('%j ends soon, although its lookup would take minutes', async (args, code, said) => {
  const folder = makeFolder(files)
  const { RES_OPTIONS: _, ...env } = process.env
  const ran = await new Promise<{ code: unknown; output: string }>((resolve) => {
    const words = ['-rmn', 'sh', '-c', script, 'sh', folder, process.execPath, cli, ...args]
    execFile('unshare', words, { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
  expect(ran).toEqual({ code, output: expect.stringContaining(said) })
})
