/** Many requests through a proxy: each gets its own response, and the memory is limited. */
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { Pool } from 'undici'
import { startProcess } from '../../io/cli/command.ts'
import { listen } from '../../support/listen.ts'

const requests = 7_000
const pet = (id: number): string =>
  `{"id":${id},"name":"${'a name '.repeat(2_000)}","categoryId":1,"status":"sold"}`

test(`${requests} requests with large bodies, in a heap of 160 MiB`, async () => {
  const server = createServer((request, response) => {
    response.writeHead(request.method === 'POST' ? 201 : 200, {
      'content-type': 'application/json',
    })
    request.resume().once('end', () => response.end(pet(Number(request.headers['x-id']))))
  })
  const target = `http://127.0.0.1:${await listen(server)}/v1`
  const env = { NODE_OPTIONS: '--max-old-space-size=160' }
  const { child, says, ended } = startProcess(['proxy', target, '--port', '0'], { env })
  const url = (await says(/Base URL {2}http\S+/)).replace(/^.* /, '')
  const pool = new Pool(new URL(url).origin, { connections: 50 })
  let next = 0
  const work = async (): Promise<void> => {
    while (next < requests) {
      const id = (next += 1)
      const headers = {
        authorization: `Bearer key-${id % 50}`,
        'content-type': 'application/json',
        'x-id': `${id}`,
      }
      const isRead = id % 10 === 0
      const sent = isRead ? { method: 'GET' } : { method: 'POST', body: pet(id) }
      const { statusCode, body } = await pool.request({
        path: `/v1/pets${isRead ? `/${id}` : ''}`,
        ...sent,
        headers,
      })
      expect([statusCode, (await body.text()).slice(0, 12)]).toEqual([
        isRead ? 200 : 201,
        pet(id).slice(0, 12),
      ])
    }
  }
  await Promise.all(Array.from({ length: 50 }, work))
  await pool.close()
  child.kill('SIGINT')
  const { code, stdout } = await ended
  const numberIn = (pattern: RegExp): number =>
    Number(pattern.exec(stdout)?.[1]?.replaceAll(',', '') ?? 0)
  // A busy machine does not judge all of them in the seconds that the end may take, but it counts the rest.
  const seen = numberIn(/([\d,]+) responses seen/)
  expect(seen).toBeGreaterThan(0)
  expect([code, seen + numberIn(/([\d,]+) exchanges? .* not judged/)]).toEqual([0, requests])
})
