import { useEffect, useState } from 'react'

export function PetList({ baseUrl, apiKey }) {
  const [shown, show] = useState({ status: 'loading' })

  function load() {
    show({ status: 'loading' })
    listPets(baseUrl, apiKey).then(
      (pets) => show({ status: 'loaded', pets }),
      (error) => show({ status: 'failed', problem: error.message }),
    )
  }
  useEffect(load, [baseUrl, apiKey])

  if (shown.status === 'loading') return <p role="status">Loading …</p>
  if (shown.status === 'failed') {
    return (
      <p role="alert">
        {shown.problem} <button onClick={load}>Try again</button>
      </p>
    )
  }
  if (shown.pets.length === 0) return <p>No pets found.</p>
  return (
    <ul>
      {shown.pets.map((pet, index) => (
        <li key={index}>{pet.name}</li>
      ))}
    </ul>
  )
}

async function listPets(baseUrl, apiKey) {
  const response = await fetch(`${baseUrl}/pets?limit=5`, {
    headers: { authorization: `Bearer ${apiKey}` },
  }).catch(() => {
    throw new Error('The pet store cannot be reached.')
  })
  if (!response.ok) throw new Error(`The pet store has a problem (${response.status}).`)
  return response.json()
}
