import { describe, expect, test } from 'vitest'
import { scopes, startIn } from './control.ts'

describe.each(scopes)('in $where', (scope) => {
  describe('pets', () => {
    test('are exported as imported, with exact integers', async () => {
      const { call, request, other } = await startIn(scope)
      const pets =
        '[{"id":9007199254740993,"name":"Rex","categoryId":-9223372036854775808,"status":"sold"},{"id":2,"name":"Ünï \\u2028","categoryId":1,"tags":["a"]}]'
      expect((await call('PUT', '/pets', pets)).json).toEqual({ pets: 2 })
      const exported = await call('GET', '/pets')
      expect(exported.text).toContain('"id":9007199254740993,')
      expect(exported.text).toContain('"categoryId":-9223372036854775808,')
      expect(exported.json[1]).toEqual({ id: 2, name: 'Ünï \u2028', categoryId: 1, tags: ['a'] })
      expect((await request('GET', '/v1/pets/9007199254740993')).text).toContain(
        '"id":9007199254740993',
      )
      await call('PUT', '/pets', '[]')
      expect((await call('GET', '/pets')).json).toEqual([])
      await call('PUT', '/pets', exported.text)
      expect((await call('GET', '/pets')).text).toBe(exported.text)
      expect(other.catalog.size).toBe(5)
    })

    test.each([
      ['limit=2', '1,2', '5'],
      ['limit=2&offset=4', '5', '5'],
      ['order=newest-first&limit=2', '5,4', '5'],
      ['status=sold', '2', '1'],
      ['search=rEX', '2,3', '2'],
      ['search=4', '3,4', '2'],
      ['search=rex&status=sold&offset=1', '', '1'],
    ])('?%s returns the ids %s of %s pets', async (query, ids, total) => {
      const { call } = await startIn(scope)
      const names = ['Mia', 'Rex', 'T-Rex 4', 'Bo', 'Zoe']
      const pets = names.map((name, at) => ({
        id: at + 1,
        name,
        categoryId: 1,
        status: at === 1 ? 'sold' : 'pending',
      }))
      await call('PUT', '/pets', pets)
      const { json, headers } = await call('GET', `/pets?${query}`)
      expect(json.map(({ id }: any) => id).join()).toBe(ids)
      expect(headers['x-total-count']).toBe(total)
    })

    test.each([0, 1, 4])('deleted at position %i, are restored there', async (index) => {
      const { call, request } = await startIn(scope)
      const { text: before, json: pets } = await call('GET', '/pets')
      const pet = pets[index]
      const { headers } = await call('DELETE', `/pets/${pet.id}`)
      expect(headers['x-position']).toBe(String(index))
      expect((await call('POST', `/pets?position=${index}`, pet)).status).toBe(201)
      expect((await call('GET', '/pets')).text).toBe(before)
      const listed = JSON.parse((await request('GET', '/v1/pets')).text)
      expect(listed.map(({ id }: any) => id)).toEqual(pets.map(({ id }: any) => id).toReversed())
    })

    test('are changed exactly: name, category and status, or no status', async () => {
      const { call, request } = await startIn(scope)
      const { text } = await call(
        'PATCH',
        '/pets/1',
        '{"name":"Ünï","categoryId":9007199254740993,"status":"sold"}',
      )
      expect(text).toContain('"categoryId": 9007199254740993')
      const shown = '"name":"Ünï","categoryId":9007199254740993'
      expect((await request('GET', '/v1/pets/1')).text).toContain(`${shown},"status":"sold"`)
      expect((await call('PATCH', '/pets/1', { status: null })).json).not.toHaveProperty('status')
      expect((await request('GET', '/v1/pets/1')).text).toContain(`${shown}}`)
    })

    test('are added, one or many, with or without an id', async () => {
      const { call, other } = await startIn(scope)
      const rex = { name: 'Rex', categoryId: 1 }
      const one = await call('POST', '/pets', { ...rex, status: 'sold' })
      expect([one.status, one.json]).toEqual([201, [{ id: 6, ...rex, status: 'sold' }]])
      const many = await call(
        'POST',
        '/pets',
        `[{"id":8,"name":"a","categoryId":9007199254740993},${JSON.stringify(rex)},${JSON.stringify(rex)}]`,
      )
      expect(many.text).toContain('"categoryId": 9007199254740993')
      expect(many.json.map(({ id }: any) => id)).toEqual([8, 7, 9])
      expect((await call('GET', '/pets')).json.map(({ id }: any) => id)).toEqual([
        1, 2, 3, 4, 5, 6, 8, 7, 9,
      ])
      expect(other.catalog.size).toBe(5)
    })

    test('are not added if one of them is invalid, and no id is used up', async () => {
      const { call } = await startIn(scope)
      const { status, json } = await call('POST', '/pets', [
        { name: 'a', categoryId: 1 },
        { id: 2, name: 'b', categoryId: 1 },
        { name: 3 },
      ])
      expect(status).toBe(400)
      for (const place of ['/2/name', '/2/categoryId']) expect(json.message).toContain(place)
      const taken = await call('POST', '/pets', [
        { name: 'a', categoryId: 1 },
        { id: 2, name: 'b', categoryId: 1 },
      ])
      expect(taken.json.message).toBe('/1/id: A pet with the id 2 already exists.')
      expect((await call('POST', '/pets', { name: 'a', categoryId: 1 })).json[0].id).toBe(6)
    })

    test('are deleted by filter, or all', async () => {
      const { call, other } = await startIn(scope)
      const pets = ['Rex', 'T-Rex', 'Bo'].map((name, at) => ({
        id: at + 1,
        name,
        categoryId: 1,
        status: at === 1 ? 'sold' : 'pending',
      }))
      await call('PUT', '/pets', pets)
      expect((await call('DELETE', '/pets?search=rex&status=pending')).json).toEqual({ pets: 2 })
      expect((await call('GET', '/pets')).json.map(({ id }: any) => id)).toEqual([2, 3])
      expect((await call('DELETE', '/pets')).json).toEqual({ pets: 0 })
      expect((await call('DELETE', '/pets?limit=1')).status).toBe(400)
      expect(other.catalog.size).toBe(5)
    })

    test.each([
      ['9223372036854775807', 404],
      ['-1', 404],
      ['9223372036854775808', 400],
      ['1.0', 400],
      ['x', 400],
      ['%31', 204],
      ['%zz', 400],
    ])('with the id %s: %i', async (id, status) => {
      const { call } = await startIn(scope)
      expect((await call('DELETE', `/pets/${id}`)).status).toBe(status)
    })
  })

  test('snapshots restore the pets by name', async () => {
    const { call, request } = await startIn(scope)
    expect((await call('GET', '/snapshots')).json).toEqual({ snapshots: [] })
    expect((await call('PUT', '/snapshots/before')).json).toMatchObject({ name: 'before', pets: 5 })
    await request('POST', '/v1/pets', { name: 'Rex', categoryId: 1 })
    await call('DELETE', '/pets/1')
    await call('DELETE', '/pets/2')
    expect((await call('PUT', '/snapshots/after.1')).json).toMatchObject({
      name: 'after.1',
      pets: 4,
    })
    expect((await call('GET', '/snapshots')).json.snapshots.map(({ name }: any) => name)).toEqual([
      'before',
      'after.1',
    ])
    expect((await call('POST', '/snapshots/before/restore')).status).toBe(204)
    expect((await request('GET', '/v1/pets')).json.map(({ id }: any) => id)).toEqual([
      5, 4, 3, 2, 1,
    ])
    expect((await call('DELETE', '/snapshots/before')).status).toBe(204)
    expect((await call('DELETE', '/snapshots/before')).status).toBe(404)
    expect((await call('POST', '/snapshots/before/restore')).status).toBe(404)
    expect((await call('PUT', `/snapshots/${encodeURIComponent('no spaces')}`)).status).toBe(400)
    expect((await call('PUT', `/snapshots/${'x'.repeat(101)}`)).status).toBe(400)
  })
})
