import { connect, type Socket } from 'node:net'

import { pause } from '../conversation.ts'
import { lastReply, lastRequest, ordinaryBody, petsPath, toCreation, toRequest } from '../requests.ts'
import type { Context, FuzzCase, Scenario, Stage } from '../scenario.ts'

/** Bytes that bodies may take which are not there as a whole yet. */
const mostForBodies = 160 * 1024 * 1024

/** Whether the mock still serves, in the midst of it. */
const aRequest = (context: Context): Scenario => ({
  steps: [{ send: lastRequest(context) }],
  replies: [lastReply(context)],
})

/** Opens connections that send these bytes, and gives them to whoever calls. */
async function openMany(port: number, count: number, bytes: (index: number) => Buffer): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.on('error', () => {})
      return new Promise<Socket>((resolve) => {
        socket.once('close', () => resolve(socket))
        socket.once('connect', () => socket.write(bytes(index), () => resolve(socket)))
      })
    }),
  )
}

/** Ends connections in one way or another. */
function endAll(sockets: readonly Socket[]): void {
  for (const [index, socket] of sockets.entries()) {
    if (index % 3 === 0) socket.resetAndDestroy()
    else socket.destroy()
  }
}

/** A storm of connections that are held while an ordinary request is made, and then dropped. */
function held(id: string, count: number, bytes: (context: Context, index: number) => Buffer): FuzzCase {
  return {
    id: `storm/${id}`,
    async storm(context: Context, stage: Stage) {
      const sockets = await openMany(stage.port, count, (index) => bytes(context, index))
      const faults = await stage.play(aRequest(context))
      endAll(sockets)
      return [...faults, ...(await stage.play(aRequest(context)))]
    },
  }
}

export const storms: FuzzCase[] = [
  held('idle', 500, () => Buffer.alloc(0)),
  held('half-heads', 300, () => Buffer.from(`GET ${petsPath} HTTP/1.1\r\nHost: x\r\n`)),
  held('half-bodies', 300, (context) => toRequest(context, { method: 'POST', length: '1000' })),
  held('kept-alive', 300, (context) => toRequest(context, { target: `${petsPath}/1` })),
  held('silences', 50, (context) => toRequest(context, { headers: [['Prefer', 'fault=silence']] })),
  held('resets', 100, (context) => toRequest(context, { headers: [['Prefer', 'fault=reset']] })),
  held('delayed', 100, (context) => toRequest(context, { target: `${petsPath}/1`, headers: [['Prefer', 'delay=60']] })),
  held('delayed-pipelines', 20, (context) =>
    Buffer.concat(
      Array.from({ length: 100 }, () =>
        toRequest(context, { target: `${petsPath}/1`, headers: [['Prefer', 'delay=60']] }),
      ),
    ),
  ),
  held('slow-bodies', 50, (context) => toRequest(context, { headers: [['Prefer', 'fault=slow']] })),
  // The control API opens 32 of them at the most.
  held('streams', 60, (context) =>
    toRequest(context, { target: '/_petstore/journal/stream', host: '127.0.0.1', authorization: undefined }),
  ),
  held('unread-replies', 100, (context) =>
    Buffer.concat(Array.from({ length: 20 }, () => toRequest(context, { target: `${petsPath}?limit=100` }))),
  ),
  {
    id: 'storm/aborted-creations',
    async storm(context, stage) {
      const names = Array.from({ length: 100 }, () => context.petName())
      const aborted = names.map((name, index) =>
        stage.play({
          steps: [
            { send: toCreation(context, ordinaryBody(name)) },
            ...(index % 2 === 0 ? [{ pauseMs: 0 }] : []),
            { abandon: index % 3 === 0 ? 'reset' : 'close' },
          ],
          replies: [],
          inDoubt: [name],
        }),
      )
      return [...(await Promise.all(aborted)).flat(), ...(await stage.play(aRequest(context)))]
    },
  },
  {
    id: 'storm/large-bodies-at-once',
    async storm(context, stage) {
      const body = `{"name":"${context.petName()}","categoryId":"no number"}`.padEnd(1_048_576)
      const replies = await Promise.all(
        Array.from({ length: 20 }, () =>
          stage.play({
            steps: [{ send: Buffer.concat([toCreation(context, body), lastRequest(context)]) }],
            replies: [{ method: 'POST', statuses: [400] }, lastReply(context)],
          }),
        ),
      )
      return replies.flat()
    },
  },
  {
    id: 'storm/half-sent-large-bodies',
    // Whoever has no key, too, can begin to send.
    async storm(context, stage) {
      const head = toRequest(context, { method: 'POST', length: '1048576', authorization: undefined })
      const bytes = Buffer.concat([head, Buffer.alloc(1_000_000, ' ')])
      const before = await stage.memory()
      const sockets = await openMany(stage.port, 400, () => bytes)
      let [earlier, now] = [0, await stage.memory()]
      while (now > earlier) {
        await pause(200)
        ;[earlier, now] = [now, await stage.memory()]
      }
      const grown = now - before
      const faults = await stage.play(aRequest(context))
      endAll(sockets)
      if (grown > mostForBodies) faults.push(`400 bodies under way take ${Math.round(grown / 1024 / 1024)} MiB.`)
      return faults
    },
  },
  {
    id: 'storm/never-reads',
    // Asks for ten times what a socket holds, and reads nothing of it.
    async storm(context, stage) {
      const request = toRequest(context, { target: `${petsPath}?limit=100` })
      const [socket] = await openMany(stage.port, 1, () => Buffer.alloc(0))
      if (socket === undefined) return []
      socket.pause()
      for (let block = 0; block < 40; block += 1) {
        socket.write(Buffer.concat(Array.from({ length: 250 }, () => request)))
        await pause(5)
      }
      const faults = await stage.play(aRequest(context))
      socket.resetAndDestroy()
      return faults
    },
  },
]
