import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'

import { build, type Rolldown } from 'vite'

export interface PageServer {
  url: string
  close: () => Promise<void>
}

/** Bundles the page: a script, and a stylesheet where it imports one. */
async function bundled(code: string): Promise<[name: string, content: string][]> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'page',
        enforce: 'pre',
        // package.json says that nothing is imported for what it does, but the script of a page is.
        resolveId: (path, importer) =>
          path === 'page'
            ? '\0page.js'
            : importer === '\0page.js'
              ? { id: path, moduleSideEffects: true }
              : undefined,
        load: (path) => (path === '\0page.js' ? code : undefined),
      },
    ],
    build: {
      write: false,
      target: 'es2023',
      rolldownOptions: {
        input: 'page',
        output: {
          entryFileNames: 'page.js',
          chunkFileNames: '[name].js',
          assetFileNames: 'page[extname]',
        },
      },
      modulePreload: false,
    },
  })
  const [output] = [built].flat() as Rolldown.RolldownOutput[]
  return (output?.output ?? []).map((one) => [
    `/${one.fileName}`,
    one.type === 'chunk' ? one.code : String(one.source),
  ])
}

/**
 * Serves a page with a strict Content-Security-Policy: no eval, no inline scripts, no scripts of other origins.
 *
 * @param connectTo other origins to which the page may send requests.
 * @param code the script of the page; by default, a client of the service.
 */
export async function servePage(
  connectTo: readonly string[],
  code = `import ${JSON.stringify(`${import.meta.dirname}/page.ts`)}`,
  body = '',
): Promise<PageServer> {
  const bundle = await bundled(code)
  const style = bundle.some(([name]) => name === '/page.css')
    ? '<link rel="stylesheet" href="/page.css">'
    : ''
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Pets</title>${style}<script type="module" src="/page.js"></script><main>${body}</main>`
  const worker = readFileSync(
    createRequire(import.meta.url).resolve('msw/mockServiceWorker.js'),
    'utf8',
  )
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self'; connect-src ${["'self'", ...connectTo].join(' ')}`
  const files: Record<string, [type: string, content: string]> = {
    '/': ['text/html', html],
    ...Object.fromEntries(
      bundle.map(([name, content]) => [
        name,
        [name.endsWith('.css') ? 'text/css' : 'text/javascript', content] as const,
      ]),
    ),
    '/mockServiceWorker.js': ['text/javascript', worker],
    '/beside.txt': ['text/plain', 'beside'],
  }
  const server = createServer((request, response) => {
    const [type, content] = files[request.url ?? ''] ?? []
    response.writeHead(type === undefined ? 404 : 200, {
      'content-security-policy': policy,
      'content-type': type ?? 'text/plain',
    })
    response.end(content)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The expected result of `runFaults` in the page. */
export function faultsIn(browser: string): object {
  return {
    reset: 'TypeError',
    truncated: browser.startsWith('WebKit')
      ? 'no end'
      : [200, browser.startsWith('Firefox') ? 'AbortError' : 'TypeError'],
    rejected: [503, '1', 503],
    delayed: [200, true],
    slow: 20,
    silent: 'AbortError',
    'pending rules': 0,
    created: [201, '{"id":101,"name":"Rex","categoryId":9007199254740993,"status":"available"}'],
    'before the reset': 200,
    'after the reset': 404,
    redirected: [200, !browser.startsWith('WebKit'), 1],
    'beside the base URL': 'beside',
  }
}
