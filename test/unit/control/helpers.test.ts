/** The requests that the helpers for test runners in examples/ (pytest, JUnit, Go) send to the control API. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sandboxKey } from '../../../src/mock/index.ts'
import { serveMock } from '../../support/serve-mock.ts'

const helpers = [
  'pytest/petstore_plugin.py',
  'junit/src/test/java/com/example/shop/Petstore.java',
  'go-test/petstoretest/petstoretest.go',
].map((path) => ({
  path,
  text: readFileSync(new URL(`../../../examples/${path}`, import.meta.url), 'utf8'),
}))

/** What each helper requests: the method, and the end of the path. */
const requests = [
  'POST /sandboxes',
  'POST /reset',
  'POST /rules',
  'PUT /pets',
  'GET /rules?pending=true',
  'GET /scorecard',
]

test.each(helpers)('$path sends these requests and no others', ({ text }) => {
  const sent = [...text.matchAll(/["'](GET|PUT|POST|DELETE|PATCH)["'], *([^\n]*)/g)].flatMap(
    ([, method = '', rest = '']) => {
      const path = /\/[a-z]+(\?pending=true)?/.exec(rest)?.[0]
      return path === undefined ? [] : [`${method} ${path}`]
    },
  )
  expect(new Set(sent)).toEqual(new Set(requests))
})

test.each(['', 'the-token-of-an-operator'])(
  'a test gets a sandbox by its id, and reads unused rules and the scorecard (token "%s")',
  async (controlToken) => {
    const mock = await serveMock(controlToken === '' ? {} : { controlToken })
    const partner = sandboxKey('our-shop')
    const control = (
      method: string,
      path: string,
      body?: unknown,
      token = partner,
    ): Promise<Response> =>
      fetch(mock.controlUrl + path, {
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    const read = async (response: Promise<Response>): Promise<unknown> => (await response).json()

    const id = 'our-shop-tests/test_shop.py::test_list[é-1] of a class with a long name'
    const made = (await read(control('POST', '/sandboxes', { name: id }))) as Record<string, string>
    expect(made).toEqual({
      name: expect.stringMatching(/^our-shop-[a-z0-9-]+$/),
      key: expect.stringMatching(/^petstore_sandbox_our-shop-/),
    })
    // The same test finds it again, in any process.
    expect(await read(control('POST', '/sandboxes', { name: id }))).toEqual(made)
    const path = `/sandboxes/${made['name']}`
    expect((await control('POST', `${path}/reset`)).status).toBe(204)

    const rule = { when: { operation: 'createPet' }, reply: { status: 503 }, times: 2 }
    expect((await control('POST', `${path}/rules`, rule)).status).toBe(201)
    const pets = [{ id: 1, name: 'Rex', categoryId: 1, status: 'sold' }]
    expect((await control('PUT', `${path}/pets`, pets)).ok).toBe(true)
    const headers = { authorization: `Bearer ${made['key']}` }
    const listed = await fetch(`${mock.url}/pets?status=sold`, { headers })
    expect(await listed.json()).toEqual(pets)
    await fetch(`${mock.url}/pets?limit=500`, { headers })

    expect(await read(control('GET', `${path}/rules?pending=true`))).toMatchObject({
      rules: [{ ...rule, used: 0 }],
    })
    expect(await read(control('GET', `${path}/scorecard`))).toMatchObject({
      scorecards: [{ issues: [{ title: expect.any(String), fix: expect.any(String) }] }],
    })
    const text = await (await control('GET', `${path}/scorecard?reporter=text`)).text()
    expect(text).toContain('To fix it:')

    // A reset ends the rules and the requests of the test.
    await control('POST', `${path}/reset`)
    expect(await read(control('GET', `${path}/rules?pending=true`))).toEqual({ rules: [] })
    expect(await read(control('GET', `${path}/scorecard`))).toMatchObject({
      scorecards: [{ issues: [], requests: 0 }],
    })
  },
)
