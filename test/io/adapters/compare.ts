import { type Case, Exactly } from './cases.ts'

export interface Answer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: Uint8Array
}

export async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response
  return {
    status,
    headers: Object.fromEntries(headers),
    body: new Uint8Array(await response.arrayBuffer()),
  }
}

/** Headers of the connection, not of the response. */
const ofTheConnection = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

/** Describes how a response differs from the expectation of the case. */
export function mistakesOf(expected: Case, { status, headers, body }: Answer): string[] {
  const mistakes: string[] = []
  if (status !== expected.status) mistakes.push(`status ${status}, not ${expected.status}`)
  for (const [name, value] of Object.entries(expected.has ?? {})) {
    if (headers[name] !== value) mistakes.push(`${name}: ${headers[name]}, not ${value}`)
  }
  const text = new TextDecoder().decode(body)
  if (expected.json instanceof Exactly) {
    if (text !== expected.json.text) mistakes.push(`the body ${text}, not ${expected.json.text}`)
  } else if (expected.json !== undefined) {
    const { message, ...rest } = JSON.parse(text) as Record<string, unknown>
    if (typeof message !== 'string' || message === '') mistakes.push('no message')
    if (JSON.stringify(rest) !== JSON.stringify(expected.json)) mistakes.push(`the body ${text}`)
  }
  return mistakes
}

/** Describes how a response differs from that of the mock itself, except for connection headers. */
export function differencesOf(reply: Answer, original: Answer, method: string): string[] {
  const { 'content-length': length, ...headers } = withoutConnection(reply.headers)
  const { 'content-length': _, ...others } = withoutConnection(original.headers)
  const differences: string[] = []
  if (reply.status !== original.status)
    differences.push(`status ${reply.status}, not ${original.status}`)
  const [shown, wanted] = [shownHeaders(headers), shownHeaders(others)]
  if (shown !== wanted) differences.push(`headers\n${shown}\nnot\n${wanted}`)
  if (!isSame(reply.body, original.body)) {
    differences.push(`the bytes ${reply.body.join(' ')}, not ${original.body.join(' ')}`)
  }
  if (length !== undefined && method !== 'HEAD' && Number(length) !== reply.body.length) {
    differences.push(`a content-length of ${length} for ${reply.body.length} bytes`)
  }
  return differences
}

function withoutConnection(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheConnection.has(name)))
}

function shownHeaders(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join('\n')
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at])
}
