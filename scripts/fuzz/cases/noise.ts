import { ordinaryBody, petsPath, toCreation, toRequest } from '../requests.ts'
import { readNewPet } from '../json-texts.ts'
import type { Context, Expected, FuzzCase, Scenario } from '../scenario.ts'
import { mutated } from './bodies.ts'

/** What may be answered to bytes of chance: anything that is well-formed and is no accident. */
const anything: Expected = {
  method: 'GET',
  statuses: [200, 201, 204, 308, 400, 401, 404, 405, 408, 411, 413, 414, 415, 417, 431, 501, 505],
  optional: true,
}

function lax(bytes: Buffer): Scenario {
  return { steps: [{ send: bytes }, { finish: true }], replies: Array.from({ length: 12 }, () => anything) }
}

const tokens = (context: Context): string[] => [
  'GET ',
  'POST ',
  '/v1/pets',
  '/v1/pets/1',
  ' HTTP/1.1',
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  ':',
  '0\r\n\r\n',
  '5\r\nhello\r\n',
  'Host: x\r\n',
  `Authorization: Bearer ${context.key}\r\n`,
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Expect: 100-continue\r\n',
  'Connection: close\r\n',
  'Upgrade: x\r\n',
  '{}',
  '\0',
  '\xff',
]

export const noise: FuzzCase[] = [
  {
    id: 'noise/bytes',
    make: ({ chance }) => lax(chance.bytes(chance.between(1, 400))),
  },
  {
    id: 'noise/tokens',
    make(context) {
      const words = tokens(context)
      const text = Array.from({ length: context.chance.between(1, 40) }, () => context.chance.pick(words)).join('')
      return lax(Buffer.from(`${text}\r\n\r\n`, 'latin1'))
    },
  },
  ...Array.from({ length: 6 }, (_, index): FuzzCase => ({
    id: `noise/mutated-request-${index + 1}`,
    make(context) {
      const bytes =
        index % 2 === 0
          ? toRequest(context, { target: `${petsPath}?limit=5&status=sold` })
          : toCreation(context, ordinaryBody(context.petName()))
      return lax(mutated(context.chance, bytes, context.chance.between(1, 3)))
    },
  })),
  {
    id: 'noise/body-bytes',
    make(context) {
      const body = context.chance.bytes(context.chance.between(0, 300))
      const statuses = readNewPet(body) === undefined ? [400] : [201]
      return { ...lax(toCreation(context, body)), replies: [{ method: 'POST', statuses }] }
    },
  },
]
