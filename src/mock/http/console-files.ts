import { styleHash } from '../../report/style.gen.ts'
import { consolePath, pathOf } from '../control/guard.ts'
import { onceLoaded, prefix, problem } from '../control/routes/route.ts'
import type { MockReply } from '../service/message.ts'
import { packageFilesIn, readPackageFile } from './package-files.ts'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** Reports in frames inherit this policy: it allows their stylesheet by its hash. */
const policy =
  `default-src 'none'; script-src 'self'; style-src 'self' '${styleHash}'; connect-src 'self'; ` +
  "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves the files that the build wrote to dist/console. They are read at the first request. */
export async function respond(target: string): Promise<MockReply> {
  const path = pathOf(target)
  // Relative, since a proxy may serve the mock below another path.
  if (path === prefix || path === '/') return redirect('_petstore/console/')
  if (path === consolePath) return redirect('console/')
  const own = await files()
  const found = own.get(path.slice(consolePath.length + 1) || 'index.html')
  const message =
    own.size > 0
      ? 'The console has no such file.'
      : 'The console is not here: its files are in the package petstore-kit, and a bundle of the program leaves them out.'
  return found ?? problem(404, message)
}

function redirect(location: string): MockReply {
  return { status: 303, headers: { location, 'cache-control': 'no-store' }, body: '' }
}

const files = onceLoaded(async () => {
  const names = await packageFilesIn('console')
  const replies = names
    .filter((name) => types[typeOf(name)] !== undefined)
    .map(async (name) => [name, toReply(name, await readPackageFile(`console/${name}`))] as const)
  return new Map(await Promise.all(replies))
})

const typeOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

function toReply(name: string, body: string): MockReply {
  return {
    status: 200,
    headers: {
      'content-type': types[typeOf(name)] ?? '',
      // All other names contain a hash.
      'cache-control': name === 'index.html' ? 'no-store' : 'max-age=31536000, immutable',
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body,
  }
}
