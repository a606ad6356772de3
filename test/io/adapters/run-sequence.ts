import type { Sequence } from './cases.ts'
import type { AdapterClient, Kit } from './clients.ts'
import { differencesOf, mistakesOf } from './compare.ts'
import { addBigPet, sendDirectly } from './in-process.ts'

export interface Wrong {
  case: string
  wrong: string[]
}

/** Sends a sequence through an adapter, and compares the responses with those of the mock itself. */
export async function runSequence(
  kit: Kit,
  adapter: AdapterClient,
  { options, cases }: Sequence,
): Promise<Wrong[]> {
  const three = { pets: 3, ...options }
  const [client, original] = [await adapter.open(kit, three), kit.createMock(three)]
  try {
    for (const mock of [client.mock, original]) addBigPet(mock)
    const wrong: Wrong[] = []
    for (const sent of cases) {
      const [reply, expected] = [await client.send(sent), await sendDirectly(original, sent)]
      const mistakes = [...mistakesOf(sent, reply), ...differencesOf(reply, expected, sent.method)]
      if (mistakes.length > 0) wrong.push({ case: sent.name, wrong: mistakes })
    }
    return wrong
  } finally {
    await client.close()
  }
}
