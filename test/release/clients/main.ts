import createClient from 'openapi-fetch'
import { parseJson, printJson } from 'petstore-kit/json'
import type { paths } from './petstore.js'

const { PETSTORE_BASE_URL: baseUrl = '', PETSTORE_API_KEY: key = '' } = process.env
// JSON.parse would round ids beyond 2^53.
Response.prototype.json = async function () {
  return parseJson(await this.text())
}
const bodySerializer = (body: unknown): string => printJson(body as object)
const client = createClient<paths>({
  baseUrl,
  headers: { authorization: `Bearer ${key}` },
  bodySerializer,
})

const listed = await client.GET('/pets', { params: { query: { limit: 100 } } })
for (const { id, categoryId } of listed.data ?? [])
  console.log('listed', String(id), String(categoryId))
const categoryId = -9_223_372_036_854_775_807n as unknown as number
const created = await client.POST('/pets', { body: { name: 'Zoë', categoryId } })
console.log('created', created.data?.name, String(created.data?.categoryId))
const petId = created.data?.id as number
const found = await client.GET('/pets/{petId}', { params: { path: { petId } } })
console.log('found', found.data?.name, String(found.data?.categoryId))
const missing = await client.GET('/pets/{petId}', { params: { path: { petId: 404_404 } } })
console.log('error', missing.response.status, missing.error?.status)
