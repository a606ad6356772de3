import { test } from 'vitest'
import { startMock, defaultKey } from '../../src/mock/index.ts'
test('smoke', async () => {
  const mock = await startMock()
  const h = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }
  const show = async (path: string, init: RequestInit = {}) => {
    const r = await fetch(mock.url + path, { ...init, headers: { ...h, ...init.headers } })
    console.log(init.method ?? 'GET', path, r.status, JSON.stringify([...r.headers]), (await r.text()).slice(0, 1600))
  }
  await show('/pets')
  await show('/pets?limit=3&status=sold')
  await show('/pets?limit=0')
  await show('/pets/7')
  await show('/pets/777')
  await show('/pets/abc')
  await show('/pets', { method: 'POST', body: '{"name":"Zoë","categoryId":9223372036854775807}' })
  await show('/pets/101')
  await show('/pets', { method: 'POST', body: '{"name":7}' })
  await show('/pets', { method: 'POST', body: '' })
  await show('/pets', { method: 'DELETE' })
  await show('/pets/', {})
  await show('/orders', {})
  await show('/pets', { headers: { authorization: 'x' } })
  await show('/../pets', {})
  await show('/pets', { method: 'HEAD' })
  await show('/pets', { method: 'POST', body: 'x'.repeat(3_000_000) })
  await mock.close()
})
