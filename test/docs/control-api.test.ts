/** docs/control-api.md: its table is made from the OpenAPI document, and each of its commands is run. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkReply, ask, startControlled } from '../control/control.ts'
import { document } from '../control/document.ts'

const page = readFileSync(new URL('../../docs/control-api.md', import.meta.url), 'utf8')

/** Each command of the page, in its order: what it sends. */
const commands = [...page.matchAll(/^(?:\$ )?curl (.*)$/gm)].map(([text, words = '']) => {
  const parts = [...words.replace(/ +#.*$/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  )
  const after = (flag: string) => parts[parts.indexOf(flag) + 1]
  const url = new URL(parts.find((part) => part.startsWith('http://')) ?? '')
  const body = parts.includes('-d') ? after('-d') : undefined
  return {
    text,
    method: parts.includes('-X') ? (after('-X') ?? '') : 'GET',
    target: url.pathname + url.search,
    body,
  }
})

test('control-api.md is up to date', async () => {
  const { call } = await startCalled()
  let made = page.replace(
    /(<!-- operations -->\n)[^]*?(<!-- \/operations -->)/,
    (_, open: string, close: string) => `${open}\n${operationsTable()}\n\n${close}`,
  )
  for (const command of commands.filter(({ text }) => text.startsWith('$ '))) {
    const [before = '', after = ''] = made.split(`${command.text}\n`)
    const { text } = await call(command)
    made = `${before}${command.text}\n${text}${after.slice(after.indexOf('```'))}`
  }
  await expect(made).toMatchFileSnapshot('../../docs/control-api.md')
})

test('each command that shows no answer is right', async () => {
  const { mock, call } = await startCalled()
  for (const command of commands.filter(({ text, target }) => !text.startsWith('$ ') && !target.endsWith('/stream'))) {
    const { status, text } = await call(command)
    expect(status, `${command.text} ${text}`).toBeLessThan(300)
    // The pets of the page are gone by now, and the next commands shall have some.
    if (command.method === 'DELETE' && command.target.endsWith('/pets/1')) mock.reset()
  }
  expect(commands.length).toBeGreaterThan(30)
})

async function startCalled() {
  const { mock } = await startControlled({ save: async () => 'pets.json' })
  return {
    mock,
    async call({ method, target, body }: (typeof commands)[number]) {
      const reply = await ask(mock.port, method, target, body === undefined ? {} : { body })
      checkReply(method, target, reply)
      return reply
    },
  }
}

test('there is a command for each operation', () => {
  const operations = Object.entries<any>(document.paths)
    .filter(([path]) => !path.startsWith('/_petstore/sandboxes/{sandbox}'))
    .flatMap(([path, item]) => Object.keys(item).map((method) => ({ method: method.toUpperCase(), path })))
  const missing = operations.filter(
    ({ method, path }) =>
      !page.includes(`\`${method} ${path}\` lists`) &&
      !page.includes(`\`${method} ${path}\` is`) &&
      !commands.some(
        (command) =>
          command.method === method &&
          new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}(\\?.*)?$`).test(command.target),
      ),
  )
  expect(missing).toEqual([])
})

function operationsTable(): string {
  const rows = Object.entries<any>(document.paths)
    .filter(([path]) => !path.startsWith('/_petstore/sandboxes/{sandbox}/'))
    .flatMap(([path, item]) =>
      Object.entries<any>(item).map(([method, { summary, parameters = [], requestBody, responses }]) => {
        const query = parameters
          .filter((parameter: any) => parameter.in === 'query')
          .map(({ name }: any) => `\`${name}\``)
        const body = requestBody?.content['application/json'].schema.$ref.split('/').at(-1)
        const sent = [...(query.length > 0 ? [`query ${query.join(', ')}`] : []), ...(body ? [`a \`${body}\``] : [])]
        const sandboxed =
          path.includes('/', 1) &&
          document.paths[path.replace('/_petstore/', '/_petstore/sandboxes/{sandbox}/')]?.[method]
        const statuses = Object.keys(responses).filter((status) => !['401', '403', 'default'].includes(status))
        const name = `\`${method.toUpperCase()} ${path}\``
        return `| ${name} | ${summary} | ${sent.join('; ')} | ${statuses.join(', ')} | ${sandboxed ? 'yes' : ''} |`
      }),
    )
  return [
    '| operation | what it does | it takes | it answers | in a sandbox, too |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
