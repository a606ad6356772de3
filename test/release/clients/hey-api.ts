import { parseJson, printJson } from 'petstore-kit/json'
import { client } from './client/client.gen.js'
import { createPet, getPet, listPets, type Pet } from './client/index.js'

const { PETSTORE_BASE_URL: baseUrl = '', PETSTORE_API_KEY: auth = '' } = process.env
client.setConfig({
  baseUrl,
  auth,
  // JSON.parse would round ids beyond 2^53, and JSON.stringify rejects a bigint.
  parseAs: 'text',
  bodySerializer: (body) => printJson(body as object),
})
const toPet = (data: unknown): Pet => parseJson(String(data)) as unknown as Pet

const listed = await listPets({ query: { limit: 100 } })
for (const { id, categoryId } of parseJson(String(listed.data)) as unknown as Pet[])
  console.log('listed', String(id), String(categoryId))
const categoryId = -9_223_372_036_854_775_807n as unknown as number
const created = toPet((await createPet({ body: { name: 'Zoë', categoryId } })).data)
console.log('created', created.name, String(created.categoryId))
const found = toPet((await getPet({ path: { petId: created.id } })).data)
console.log('found', found.name, String(found.categoryId))
const missing = await getPet({ path: { petId: 404_404 } })
console.log('error', missing.response?.status, missing.error?.status)
