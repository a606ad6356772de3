import { faultOfCreated } from '../json-texts.ts'
import {
  answered,
  isError,
  lastReply,
  lastRequest,
  latin1,
  ordinaryBody,
  petsPath,
  showsPet,
  showsPets,
  toCreation,
  toRequest,
} from '../requests.ts'
import type { Context, Expected, FuzzCase, Step } from '../scenario.ts'

/** The mock waits 15 s for a head and 30 s for a whole request, and looks every 2 s. */
const patienceMs = 45_000

const creates = (name: string): Expected => ({
  method: 'POST',
  statuses: [201],
  body: (text) => faultOfCreated(text, { name, categoryId: 1n, status: undefined }),
})

/** Bytes in pieces of chance. */
function inPieces({ chance }: Context, bytes: Buffer, most: number): Step[] {
  const steps: Step[] = []
  for (let at = 0; at < bytes.length;) {
    const size = chance.between(1, most)
    steps.push({ send: bytes.subarray(at, at + size) }, { pauseMs: 0 })
    at += size
  }
  return steps
}

/** A request of chance with its reply. */
function anyRequest(context: Context): readonly [Buffer, Expected] {
  const { chance } = context
  const pet = context.petName()
  const id = chance.between(1, 100)
  const limit = chance.between(1, 100)
  return chance.pick<() => readonly [Buffer, Expected]>([
    () => [toRequest(context, { target: `${petsPath}?limit=${limit}` }), showsPets(context, limit)],
    () => [toRequest(context, { target: `${petsPath}/${id}` }), showsPet(context, id)],
    () => [toRequest(context, { target: `${petsPath}/0` }), isError(404)],
    () => [toRequest(context, { target: '/elsewhere' }), isError(404)],
    () => [toRequest(context, { authorization: undefined }), isError(401)],
    () => [toRequest(context, { target: `${petsPath}?limit=0` }), isError(400)],
    () => [toRequest(context, { method: 'PUT', body: 'ignored' }), isError(405)],
    () => [toRequest(context, { method: 'HEAD' }), { ...isError(200, 405), method: 'HEAD' }],
    () => [toCreation(context, ordinaryBody(pet)), creates(pet)],
    () => [toCreation(context, '{'), isError(400)],
    () => [toCreation(context, ''), isError(400)],
    () => [toRequest(context, { body: '<pet/>', headers: [['Content-Type', 'text/xml']] }), isError(415)],
    () => [toCreation(context, ordinaryBody(pet), { headers: [['Expect', '100-continue']] }), creates(pet)],
  ])()
}

/** Where a request is left unfinished. */
const halves: Record<string, (context: Context) => Buffer> = {
  nothing: () => Buffer.alloc(0),
  method: () => latin1('GE'),
  line: () => latin1(`GET ${petsPath} HTTP/1.1\r\n`),
  head: (context) => toRequest(context).subarray(0, -2),
  'no-body': (context) => toRequest(context, { method: 'POST', length: '100' }),
  'half-a-body': (context) => toCreation(context, ordinaryBody(context.petName()), { length: '500' }),
  'half-a-chunk': (context) =>
    latin1(
      `${toRequest(context, { method: 'POST', headers: [['Transfer-Encoding', 'chunked']] }).toString('latin1')}ff\r\n{"name`,
    ),
  'no-last-chunk': (context) =>
    latin1(
      `${toRequest(context, { method: 'POST', headers: [['Transfer-Encoding', 'chunked']] }).toString('latin1')}2\r\n{}\r\n`,
    ),
}

export const pacing: FuzzCase[] = [
  ...Object.entries(halves).flatMap(([name, make]): FuzzCase[] => [
    {
      id: `half/${name}-then-finished`,
      // Nothing more will come: the mock may say so, or end.
      make: (context) => ({
        steps: [{ send: make(context) }, { finish: true }],
        replies: [{ ...isError(400, 408), optional: true }],
      }),
    },
    {
      id: `half/${name}-then-abandoned`,
      make: (context) => ({
        steps: [{ send: make(context) }, { pauseMs: 0 }, { abandon: context.chance.pick(['close', 'reset']) }],
        replies: [],
      }),
    },
    {
      id: `half/${name}-behind-a-request`,
      make: (context) => ({
        steps: [
          { send: Buffer.concat([toRequest(context, { target: `${petsPath}/1` }), make(context)]) },
          { finish: true },
        ],
        replies: [showsPet(context, 1), { ...isError(400, 408), optional: true }],
      }),
    },
    {
      id: `half/${name}-then-silence`,
      slow: true,
      make: (context) => ({
        steps: [{ send: make(context) }],
        replies: [{ ...isError(408), optional: true }],
        limitMs: patienceMs,
      }),
    },
  ]),
  {
    id: 'drip/head-without-end',
    slow: true,
    make: () => ({
      steps: [
        { send: latin1(`GET ${petsPath} HTTP/1.1\r\nHost: x\r\n`) },
        ...Array.from({ length: 90 }, (_, n): Step[] => [{ pauseMs: 500 }, { send: latin1(`X-${n}: y\r\n`) }]).flat(),
      ],
      replies: [isError(408)],
      limitMs: patienceMs,
    }),
  },
  {
    id: 'drip/body-without-end',
    slow: true,
    make: (context) => ({
      steps: [
        { send: toRequest(context, { method: 'POST', length: '1000' }) },
        ...Array.from({ length: 90 }, (): Step[] => [{ pauseMs: 500 }, { send: latin1(' ') }]).flat(),
      ],
      replies: [isError(408)],
      limitMs: patienceMs,
    }),
  },
  {
    id: 'drip/byte-by-byte',
    make(context) {
      const pet = context.petName()
      const bytes = Buffer.concat([toCreation(context, ordinaryBody(pet)), lastRequest(context)])
      return { steps: inPieces(context, bytes, 1), replies: [creates(pet), lastReply(context)] }
    },
  },
  ...[3, 10, 40].map((count): FuzzCase => ({
    id: `pipeline/${count}`,
    make(context) {
      const sent = Array.from({ length: count }, () => anyRequest(context))
      return answered(
        context,
        sent.map(([bytes]) => bytes),
        sent.map(([, reply]) => reply),
      )
    },
  })),
  ...[5, 50, 500].map((most): FuzzCase => ({
    id: `pipeline/in-pieces-of-${most}`,
    make(context) {
      const sent = Array.from({ length: 8 }, () => anyRequest(context))
      const bytes = Buffer.concat([...sent.map(([request]) => request), lastRequest(context)])
      return { steps: inPieces(context, bytes, most), replies: [...sent.map(([, reply]) => reply), lastReply(context)] }
    },
  })),
  {
    id: 'pipeline/one-after-the-other',
    make(context) {
      const sent = Array.from({ length: 10 }, () => anyRequest(context))
      return {
        steps: [
          ...sent.flatMap(([send], index): Step[] => [{ send }, { awaitReplies: index + 1 }]),
          { send: lastRequest(context) },
        ],
        replies: [...sent.map(([, reply]) => reply), lastReply(context)],
      }
    },
  },
  {
    id: 'pipeline/behind-close',
    // RFC 9112 section 9.6: nothing behind `Connection: close` is answered.
    make(context) {
      const body = ordinaryBody(`behind ${context.petName()}`)
      return {
        steps: [{ send: Buffer.concat([lastRequest(context), toCreation(context, body), toRequest(context)]) }],
        replies: [lastReply(context)],
      }
    },
  },
  {
    id: 'pipeline/behind-1.0',
    make(context) {
      const bytes = toRequest(context, { target: `${petsPath}/7`, version: 'HTTP/1.0' })
      const body = ordinaryBody(`behind ${context.petName()}`)
      return { steps: [{ send: Buffer.concat([bytes, toCreation(context, body)]) }], replies: [lastReply(context)] }
    },
  },
  {
    id: 'pipeline/garbage-behind',
    make: (context) => ({
      steps: [
        { send: Buffer.concat([toRequest(context, { target: `${petsPath}/3` }), latin1('?\x01\x02 garbage\r\n\r\n')]) },
      ],
      replies: [showsPet(context, 3), isError(400)],
    }),
  },
  {
    id: 'pipeline/smuggled-in-a-body',
    // All of it is the body of the first request.
    make(context) {
      const within = toCreation(context, ordinaryBody(`within ${context.petName()}`)).toString('latin1')
      return answered(context, [toCreation(context, within)], [isError(400)])
    },
  },
]
