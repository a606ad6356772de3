/**
 * Fills a mock with sandboxes, and prints their heap size.
 *
 * Usage: node --expose-gc many-sandboxes.js <module of the mock> <sandboxes>
 */
const [, , module, count] = process.argv
const { createMock, sandboxKey } = await import(module)

const heap = () => {
  for (let round = 0; round < 4; round += 1) globalThis.gc()
  return process.memoryUsage().heapUsed
}
const notices = []
const mock = createMock({ pets: 100, onNotice: (notice) => notices.push(notice) })
const json = { 'content-type': 'application/json' }

async function work(name) {
  const authorization = `Bearer ${sandboxKey(name)}`
  const list = await mock.handle({
    method: 'GET',
    target: '/v1/pets?limit=100',
    headers: { authorization },
    body: '',
  })
  const body = JSON.stringify({ name: `Rex of ${name}`, categoryId: 1 })
  const created = await mock.handle({
    method: 'POST',
    target: '/v1/pets',
    headers: { authorization, ...json },
    body,
  })
  return [JSON.parse(list.body).length, created.status, JSON.parse(created.body).id].join()
}

await mock.handle({ method: 'GET', target: '/v1/pets', headers: {}, body: '' })
const before = heap()
const outcomes = new Set()
for (let index = 0; index < Number(count); index += 1) outcomes.add(await work(`team-${index}`))
const bytes = heap() - before
const list = mock.sandboxes.list()
const result = {
  bytes,
  sandboxes: list.length,
  pets: [...new Set(list.map(({ pets }) => pets))],
  outcomes: [...outcomes],
  notices,
}
process.stdout.write(JSON.stringify(result))
