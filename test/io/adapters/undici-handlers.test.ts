import type { Dispatcher } from 'undici'
import { beforeEach, describe, expect, test } from 'vitest'

import {
  createDispatcher,
  defaultKey,
  type MockDispatcher,
} from '../../../src/mock/adapters/undici.ts'

const origin = 'https://api.example.com'
const headers = { authorization: `Bearer ${defaultKey}` }

let dispatcher: MockDispatcher
beforeEach(() => {
  dispatcher = createDispatcher({ pets: 30 }, { baseUrl: `${origin}/v1`, passthrough: false })
  return () => dispatcher.destroy()
})

describe('the protocol of handlers', () => {
  const options: Dispatcher.DispatchOptions = { origin, path: '/v1/pets/1', method: 'GET', headers }

  /** Creates a handler that records its calls, and resolves with them at the end. */
  function noting(more: (notes: string[]) => Dispatcher.DispatchHandler) {
    const notes: string[] = []
    const { promise, resolve } = withResolvers<string[]>()
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => void notes.push('start'),
      onResponseStart: (_, status, head) =>
        void notes.push(`${status} ${String(head['content-type'])}`),
      onResponseData: (_, chunk) => void notes.push(Buffer.isBuffer(chunk) ? 'data' : 'no buffer'),
      onResponseEnd(_, trailers) {
        notes.push(`end ${JSON.stringify(trailers)}`)
        resolve(notes)
      },
      onResponseError(_, error) {
        notes.push(error.message)
        resolve(notes)
      },
      ...more(notes),
    }
    return { handler, done: promise }
  }

  test('supports undici 7 and later', async () => {
    const { handler, done } = noting(() => ({}))
    expect(dispatcher.dispatch(options, handler)).toBe(true)
    expect(await done).toEqual(['start', '200 application/json', 'data', 'end {}'])
  })

  test('supports undici 6', async () => {
    const notes: unknown[] = []
    const { promise, resolve } = withResolvers<void>()
    const handler = {
      onConnect: () => void notes.push('connect'),
      onHeaders(status: number, raw: Buffer[], _: () => void, statusText: string) {
        const at = raw.findIndex((name) => name.toString() === 'content-type')
        notes.push(status, statusText, String(raw[at + 1]))
        return true
      },
      onData: (chunk: unknown) => notes.push(Buffer.isBuffer(chunk)) > 0,
      onComplete(trailers: unknown) {
        notes.push(trailers)
        resolve()
      },
      onError: resolve,
    }
    dispatcher.dispatch(options, handler as object)
    await promise
    expect(notes).toEqual(['connect', 200, 'OK', 'application/json', true, []])
  })

  test('sends nothing while the handler pauses', async () => {
    let controller: Dispatcher.DispatchController | undefined
    const started = withResolvers<void>()
    const { handler, done } = noting((notes) => ({
      onResponseStart(its) {
        controller = its
        its.pause()
        notes.push(`paused ${its.paused}`)
        started.resolve()
      },
    }))
    dispatcher.dispatch(options, handler)
    await started.promise
    await new Promise((resolve) => setImmediate(resolve))
    controller?.resume()
    expect(await done).toEqual(['start', 'paused true', 'data', 'end {}'])
  })

  test('sends nothing after onHeaders or onData of undici 6 returns false', async () => {
    const notes: string[] = []
    const { promise, resolve } = withResolvers<void>()
    let goOn = (): void => {}
    const pause = (note: string): boolean => {
      notes.push(note)
      setImmediate(() => {
        notes.push('resume')
        goOn()
      })
      return false
    }
    const handler = {
      onConnect() {},
      onHeaders(_status: number, _raw: Buffer[], resume: () => void) {
        goOn = resume
        return pause('head')
      },
      onData: () => pause('data'),
      onComplete() {
        notes.push('end')
        resolve()
      },
      onError: resolve,
    }
    dispatcher.dispatch(options, handler as object)
    await promise
    expect(notes).toEqual(['head', 'resume', 'data', 'resume', 'end'])
  })

  test('an abort at any time ends the request once', async () => {
    const enough = new Error('enough')
    const atStart = noting(() => ({ onRequestStart: (controller) => controller.abort(enough) }))
    dispatcher.dispatch(options, atStart.handler)
    expect(await atStart.done).toEqual(['enough'])
    expect(dispatcher.mock.journal.list()).toEqual([])
    const atHead = noting(() => ({
      onResponseStart(controller) {
        controller.pause()
        controller.abort(enough)
        controller.abort(new Error('again'))
        expect([controller.aborted, controller.reason]).toEqual([true, enough])
      },
    }))
    dispatcher.dispatch(options, atHead.handler)
    expect(await atHead.done).toEqual(['start', 'enough'])
  })

  test('passes an error of a handler to onResponseError', async () => {
    const { handler, done } = noting(() => ({
      onResponseStart() {
        throw new Error('of the handler')
      },
    }))
    dispatcher.dispatch(options, handler)
    expect(await done).toEqual(['start', 'of the handler'])
  })
})

/** Like Promise.withResolvers, which Node 20 does not have. */
function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
