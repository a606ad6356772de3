import { createPet, getPet, listPets, type Pet } from './client/api.js'

const headers = { authorization: `Bearer ${process.env['PETSTORE_API_KEY']}` }

const listed = await listPets({ limit: 100 }, { headers })
for (const { id, categoryId } of listed.data as Pet[])
  console.log('listed', String(id), String(categoryId))
const categoryId = -9_223_372_036_854_775_807n as unknown as number
const created = (await createPet({ name: 'Zoë', categoryId }, { headers })).data as Pet
console.log('created', created.name, String(created.categoryId))
const found = (await getPet(created.id, { headers })).data as Pet
console.log('found', found.name, String(found.categoryId))
const missing = await getPet(404_404, { headers })
console.log('error', missing.status, (missing.data as { status: number }).status)
