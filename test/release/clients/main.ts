import createClient from 'openapi-fetch'
import { parseJson, printJson } from 'petstore-kit/json'
import type { components, paths } from './petstore.js'

type Pet = components['schemas']['Pet']
const { PETSTORE_BASE_URL: baseUrl = '', PETSTORE_API_KEY: key = '' } = process.env
const client = createClient<paths>({
  baseUrl,
  headers: { authorization: `Bearer ${key}` },
  // JSON.stringify rejects a bigint.
  bodySerializer: (body: unknown) => printJson(body as object),
})
// JSON.parse would round ids beyond 2^53.
const parseAs = 'text'
const toPet = (text: string | undefined): Pet => parseJson(text ?? '') as unknown as Pet

const listed = await client.GET('/pets', { params: { query: { limit: 100 } }, parseAs })
for (const { id, categoryId } of parseJson(listed.data ?? '') as unknown as Pet[])
  console.log('listed', String(id), String(categoryId))
const categoryId = -9_223_372_036_854_775_807n as unknown as number
const created = await client.POST('/pets', { body: { name: 'Zoë', categoryId }, parseAs })
const pet = toPet(created.data)
console.log('created', pet.name, String(pet.categoryId))
const found = await client.GET('/pets/{petId}', { params: { path: { petId: pet.id } }, parseAs })
console.log('found', toPet(found.data).name, String(toPet(found.data).categoryId))
const missing = await client.GET('/pets/{petId}', { params: { path: { petId: 404_404 } } })
console.log('error', missing.response.status, missing.error?.status)
