/** An invitation opens one sandbox, and nothing else. */
import { expect, test } from 'vitest'
import { invitationOf, isOnlyHere } from '../../../src/console/screens/invitation.ts'
import { sandboxKey } from '../../../src/mock/index.ts'

test('an invitation has the address, the key, a curl line and links to the sandbox', () => {
  const key = sandboxKey('team-a')
  const at = { mockUrl: 'https://mock.example/shop', basePath: '/v1', isGuarded: true }
  expect(invitationOf({ name: 'team-a', key }, at)).toBe(`Pet Store mock: your sandbox team-a

Base URL   https://mock.example/shop/v1
API key    ${key}
Try it     curl -H 'Authorization: Bearer ${key}' 'https://mock.example/shop/v1/pets?limit=3'
Console    https://mock.example/shop/_petstore/console/#/requests?sandbox=team-a
Scorecard  https://mock.example/shop/_petstore/console/#/scorecard?sandbox=team-a
The console needs a token: paste the API key.
`)
})

test.each([
  ['http://127.0.0.1:4010', true],
  ['http://localhost:4010', true],
  ['https://[::1]:4010', true],
  ['http://10.0.0.7:4010', false],
  ['https://localhost.example', false],
])('%s is reached from this machine only: %s', (mockUrl, expected) => {
  expect(isOnlyHere(mockUrl)).toBe(expected)
})
