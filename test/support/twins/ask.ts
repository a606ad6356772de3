import { Agent, request, type IncomingHttpHeaders } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { readJson, type Json } from './exact-json.ts'

export interface Asked {
  status: number
  headers: IncomingHttpHeaders
  text: string
  json: Json | undefined
}

export interface Question {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
}

const agent = new Agent({ keepAlive: true, maxSockets: 10 })

/** Asks once. A body that is not UTF-8 or not the JSON it claims to be throws. */
function askOnce(url: string, { method = 'GET', headers = {}, body }: Question = {}): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        try {
          const bytes = decompress(Buffer.concat(chunks), response.headers['content-encoding'])
          const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
          const isJson = /^application\/json *(;|$)/i.test(response.headers['content-type'] ?? '')
          const json = isJson && text !== '' ? readJson(text) : undefined
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json })
        } catch (error) {
          reject(new Error('The body cannot be read.', { cause: error }))
        }
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function decompress(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0 || encoding === undefined) return bytes
  if (encoding === 'gzip') return gunzipSync(bytes)
  return encoding === 'br' ? brotliDecompressSync(bytes) : inflateSync(bytes)
}

/** Asks again for as long as only a gateway, a rate limit or a broken connection has answered. */
export async function ask(url: string, question: Question = {}): Promise<Asked> {
  for (let left = 200; ; left--) {
    const answer = await askOnce(url, question).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' && left > 0) return undefined
      throw error
    })
    if (answer !== undefined && (![429, 502, 503, 504, 520, 522, 524, 530].includes(answer.status) || left === 0))
      return answer
    await wait(answer === undefined ? 0 : 40)
  }
}

/** Asks until the answer is as wanted, for at most ten seconds; then gives the last one. */
export async function askUntil(url: string, question: Question, isWanted: (answer: Asked) => boolean): Promise<Asked> {
  const end = performance.now() + 10_000
  for (;;) {
    const answer = await ask(url, question)
    if (isWanted(answer) || performance.now() > end) return answer
    await wait(50)
  }
}
