/** The table of operations of docs/reference/control-api.md, and a check that the page shows each of them. */
import { document, operations } from '../control/document.ts'

/** Replaces the table of operations of the page by the one from the OpenAPI document. */
export function withOperations(page: string): string {
  return page.replace(
    /(<!-- operations -->\n)[^]*?(<!-- \/operations -->)/,
    (_, open: string, close: string) => `${open}\n${operationsTables()}\n\n${close}`,
  )
}

/** Operations that no command and no sentence of the page shows. */
export function uncalledOperations(page: string): object[] {
  const called = [...page.matchAll(/^(?:\$ )?curl (.*)$/gm)].map(([, words = '']) => ({
    method: methodOf(words),
    target: /127\.0\.0\.1:4010([^'\s?]*)/.exec(words)?.[1] ?? '',
  }))
  return operations.flatMap(({ method, path }) => {
    const isShown =
      path.startsWith('/_petstore/sandboxes/{sandbox}') ||
      page.includes(`\`${method} ${path}\` lists`) ||
      page.includes(`\`${method} ${path}\` is`) ||
      called.some((call) => call.method === method && patternOf(path).test(call.target))
    return isShown ? [] : [{ method, path }]
  })
}

/** Requests to the control API in a text that has no such operation, by the method before the path or in the command. */
export function unknownRequests(text: string): string[] {
  const isPath = /^(.*?)(\/_petstore\/[\w{}./-]*[\w}])/gm
  return [...text.matchAll(isPath)].flatMap(([request = '', before = '', target = '']) => {
    if (target.startsWith('/_petstore/console')) return []
    const wanted = before.includes('curl ')
      ? methodOf(before)
      : /\b(GET|PUT|POST|PATCH|DELETE) \S*$/.exec(before)?.[1]
    const isKnown = operations.some(
      ({ method, path }) =>
        patternOf(path).test(target) && (wanted === undefined || wanted === method),
    )
    return isKnown ? [] : [request]
  })
}

/** The method of a curl command. */
const methodOf = (words: string): string => /-X (\w+)/.exec(words)?.[1] ?? 'GET'

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** First the operations of the mock alone, then those of each sandbox. */
function operationsTables(): string {
  const tables: string[][] = [[], []]
  Object.entries<any>(document.paths)
    .filter(([path]) => !path.startsWith('/_petstore/sandboxes/{sandbox}/'))
    .forEach(([path, item]) =>
      Object.entries<any>(item).forEach(
        ([method, { summary, parameters = [], requestBody, responses }]) => {
          const query = parameters
            .filter((parameter: any) => parameter.in === 'query')
            .map(({ name }: any) => `\`${name}\``)
          const body = requestBody?.content['application/json'].schema.$ref.split('/').at(-1)
          const sent = [
            ...(query.length > 0 ? [`query ${query.join(', ')}`] : []),
            ...(body ? [`\`${body}\``] : []),
          ]
          const sandboxed =
            path.includes('/', 1) &&
            document.paths[path.replace('/_petstore/', '/_petstore/sandboxes/{sandbox}/')]?.[method]
          const isProbe = /\/(?:health|ready)$/.test(path)
          const statuses = Object.keys(responses).filter(
            (status) =>
              !['401', '403', 'default'].includes(status) && (status !== '503' || isProbe),
          )
          const name = `\`${method.toUpperCase()} ${path}\``
          tables[sandboxed ? 1 : 0]?.push(
            `| ${name} | ${summary} | ${sent.join('; ')} | ${statuses.join(', ')} |`,
          )
        },
      ),
    )
  return tables
    .map((rows) =>
      ['| operation | purpose | input | statuses |', '| --- | --- | --- | --- |', ...rows].join(
        '\n',
      ),
    )
    .join('\n\nAlso below `/_petstore/sandboxes/NAME`, for one sandbox:\n\n')
}
