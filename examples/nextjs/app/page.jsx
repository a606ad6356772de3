import { connection } from 'next/server'

export default async function Page() {
  await connection() // a page for each request, not one from the build
  const { pets = [], problem } = await listPets()
  if (problem) return <p role="alert">{problem}</p>
  return (
    <ul>
      {pets.map((pet, index) => (
        <li key={index}>{pet.name}</li>
      ))}
    </ul>
  )
}

async function listPets() {
  const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env
  try {
    const response = await fetch(`${PETSTORE_BASE_URL}/pets?status=available&limit=5`, {
      headers: { authorization: `Bearer ${PETSTORE_API_KEY}` },
    })
    if (response.ok) return { pets: await response.json() }
    return { problem: `The pet store has a problem (${response.status}).` }
  } catch {
    return { problem: 'The pet store cannot be reached.' }
  }
}
