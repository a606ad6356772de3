import type { Dispatcher } from 'undici'
import { expect, test } from 'vitest'
import { keyInForm, keyInFields, keyInQuery } from '../../../src/contract/http/credentials.ts'
import { toCurl } from '../../../src/contract/http/curl.ts'
import { verify } from '../../../src/contract/index.ts'
import { createMock, defaultKey } from '../../../src/mock/index.ts'
import { dispatcherOf, verifyMock } from '../../support/verify-in-process.ts'
import { systemClock } from '../../../src/contract/http/waiting.ts'

const variable = '$PETSTORE_API_KEY'
const creation = {
  method: 'POST',
  path: '/pets',
  body: '{"name":"Rex","categoryId":1}',
}

test('a curl command with the key in another place takes it from the variable', () => {
  const list = { method: 'GET', path: '/pets?limit=1', credential: keyInQuery }
  const commandOf = (plan: typeof list): string => {
    const sent = plan.credential.carry?.(plan, variable, variable) ?? plan
    return toCurl('http://127.0.0.1/v1', sent)
  }
  expect(commandOf(list)).toContain(
    `'http://127.0.0.1/v1/pets?limit=1' -G --data-urlencode "api_key=$PETSTORE_API_KEY" --data-urlencode "apikey=`,
  )
  expect(commandOf({ ...creation, credential: keyInForm })).toContain(
    `--data-urlencode "api_key=$PETSTORE_API_KEY" --data-urlencode "apikey=`,
  )
  expect(commandOf({ ...creation, credential: keyInFields })).toContain(
    `"categoryId":1,"api_key":"'"$PETSTORE_API_KEY"'","apikey"`,
  )
})

/** The targets and bodies of a run that contain the key. */
async function shown(baseUrl: string): Promise<string[]> {
  const inner = dispatcherOf(createMock().handle, systemClock)
  const places: string[] = []
  const request = async (options: Dispatcher.RequestOptions) => {
    if (options.path.includes(defaultKey)) places.push('query')
    if (String(options.body).includes(defaultKey))
      places.push(String((options.headers as Record<string, string>)['content-type']))
    return inner.request(options)
  }
  const dispatcher = { request } as unknown as Dispatcher
  const report = await verify({ baseUrl, apiKey: defaultKey, dispatcher, allowWrites: true })
  expect(report.verdict).toBe('conforms')
  expect(JSON.stringify(report)).not.toContain(defaultKey)
  return places.toSorted()
}

test('a key that JSON would escape is not sent in fields', () => {
  expect(keyInFields.carry?.(creation, 'a"b')).toBe(creation)
  expect(keyInFields.carry?.(creation, 'a\\b')).toBe(creation)
})

test('the key is sent in a query only to this machine', async () => {
  const bodies = ['application/json', 'application/x-www-form-urlencoded']
  expect(await shown('http://localhost:1/v1')).toEqual([...bodies, 'query'])
  expect(await shown('http://staging.example/v1')).toEqual(bodies)
})

test('a report shows a finding with the key in a query without the key', async () => {
  const report = await verifyMock({ defects: ['auth.key-in-query'] })
  const [finding] = report.findings
  expect(finding?.message).toBe(
    'GET /pets?limit=1 with the key in the query responded 200 instead of 401.',
  )
  expect(finding?.exchanges[0]?.request.url).toContain('&token=$PETSTORE_API_KEY')
  expect(JSON.stringify(report)).not.toContain(defaultKey)
})
