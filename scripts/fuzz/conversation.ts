import { connect } from 'node:net'

import type { Scenario, Step } from './scenario.ts'
import { countReplies } from './responses.ts'

/** What became of a conversation. */
export interface Heard {
  bytes: Buffer
  /** How it ended. `refused`: no connection came about. */
  end: 'closed' | 'reset' | 'abandoned' | 'time-limit' | 'refused'
  tookMs: number
}

export const ordinaryLimitMs = 10_000

/** Plays a scenario over a socket of its own, until the other side closes. Never rejects. */
export function converse(port: number, { steps, replies, limitMs = ordinaryLimitMs }: Scenario): Promise<Heard> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const chunks: Buffer[] = []
    const methods = replies.map(({ method }) => method)
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    let wake = (): void => {}
    let over = false

    const finish = (end: Heard['end']): void => {
      if (over) return
      over = true
      clearTimeout(timer)
      wake()
      if (end === 'closed') socket.end()
      else socket.destroy()
      resolve({ bytes: Buffer.concat(chunks), end, tookMs: performance.now() - startedAt })
    }
    const timer = setTimeout(() => finish('time-limit'), limitMs)
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      wake()
    })
    socket.on('drain', () => wake())
    socket.on('end', () => finish('closed'))
    socket.on('close', () => finish('closed'))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // What is written to a connection that the other side has closed is lost; what it sent is still to be read.
      if (error.code === 'EPIPE' && !over) return
      finish(socket.bytesRead + socket.bytesWritten === 0 && error.code === 'ECONNREFUSED' ? 'refused' : 'reset')
    })

    const take = async (step: Step): Promise<void> => {
      if ('send' in step) {
        if (!socket.write(step.send)) await until(() => socket.writableLength === 0)
      } else if ('pauseMs' in step) await pause(step.pauseMs)
      else if ('awaitReplies' in step)
        await until(() => countReplies(Buffer.concat(chunks), methods) >= step.awaitReplies)
      else if ('finish' in step) socket.end()
      else {
        if (step.abandon === 'reset') socket.resetAndDestroy()
        finish('abandoned')
      }
    }
    const until = async (condition: () => boolean): Promise<void> => {
      const isOver = (): boolean => over || condition()
      while (!isOver()) {
        await new Promise<void>((resume) => {
          wake = resume
        })
      }
    }
    socket.once('connect', () => {
      void (async () => {
        for (const step of steps) if (!over) await take(step)
      })()
    })
  })
}

/** Waits: milliseconds. 0 lets whatever is ready go first. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => (ms === 0 ? setImmediate(resolve) : setTimeout(resolve, ms)))
}
