/** The table of operations of docs/reference/control-api.md, and a check that the page shows each of them. */
import { document } from '../control/document.ts'

/** Replaces the table of operations of the page by the one from the OpenAPI document. */
export function withOperations(page: string): string {
  return page.replace(
    /(<!-- operations -->\n)[^]*?(<!-- \/operations -->)/,
    (_, open: string, close: string) => `${open}\n${operationsTable()}\n\n${close}`,
  )
}

/** Operations that no command and no sentence of the page shows. */
export function uncalledOperations(page: string): object[] {
  const called = [...page.matchAll(/^(?:\$ )?curl (.*)$/gm)].map(([, words = '']) => ({
    method: /-X (\w+)/.exec(words)?.[1] ?? 'GET',
    target: /127\.0\.0\.1:4010([^'\s]*)/.exec(words)?.[1] ?? '',
  }))
  const isCalled = (method: string, path: string): boolean =>
    page.includes(`\`${method} ${path}\` lists`) ||
    page.includes(`\`${method} ${path}\` is`) ||
    called.some(
      (call) =>
        call.method === method &&
        new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}(\\?.*)?$`).test(call.target),
    )
  return Object.entries<any>(document.paths)
    .filter(([path]) => !path.startsWith('/_petstore/sandboxes/{sandbox}'))
    .flatMap(([path, item]) =>
      Object.keys(item).map((method) => ({ method: method.toUpperCase(), path })),
    )
    .filter(({ method, path }) => !isCalled(method, path))
}

/** Requests to the control API in a text that has no such operation, by the method before the path or in the command. */
export function unknownRequests(text: string): string[] {
  const paths = Object.entries<object>(document.paths).map(([path, item]) => ({
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods: Object.keys(item).map((method) => method.toUpperCase()),
  }))
  const isPath = /^(.*?)(\/_petstore\/[\w{}./-]*[\w}])/gm
  return [...text.matchAll(isPath)].flatMap(([request = '', before = '', target = '']) => {
    if (target.startsWith('/_petstore/console')) return []
    const method = before.includes('curl ')
      ? (/-X ?(\w+)/.exec(before)?.[1] ?? 'GET')
      : /\b(GET|PUT|POST|PATCH|DELETE) \S*$/.exec(before)?.[1]
    const isKnown = paths.some(
      ({ path, methods }) =>
        path.test(target) && (method === undefined || methods.includes(method)),
    )
    return isKnown ? [] : [request]
  })
}

function operationsTable(): string {
  const rows = Object.entries<any>(document.paths)
    .filter(([path]) => !path.startsWith('/_petstore/sandboxes/{sandbox}/'))
    .flatMap(([path, item]) =>
      Object.entries<any>(item).map(
        ([method, { summary, parameters = [], requestBody, responses }]) => {
          const query = parameters
            .filter((parameter: any) => parameter.in === 'query')
            .map(({ name }: any) => `\`${name}\``)
          const body = requestBody?.content['application/json'].schema.$ref.split('/').at(-1)
          const sent = [
            ...(query.length > 0 ? [`query ${query.join(', ')}`] : []),
            ...(body ? [`a \`${body}\``] : []),
          ]
          const sandboxed =
            path.includes('/', 1) &&
            document.paths[path.replace('/_petstore/', '/_petstore/sandboxes/{sandbox}/')]?.[method]
          const statuses = Object.keys(responses).filter(
            (status) => !['401', '403', 'default'].includes(status),
          )
          const name = `\`${method.toUpperCase()} ${path}\``
          return `| ${name} | ${summary} | ${sent.join('; ')} | ${statuses.join(', ')} | ${sandboxed ? 'yes' : ''} |`
        },
      ),
    )
  return [
    '| operation | purpose | input | statuses | in a sandbox, too |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
