/**
 * The floors. The bare one is the minimum that any server on node:http must do: it checks the key, reads a body without
 * parsing it, and responds with a constant text and its length. One that parses is the minimum that a creation must do:
 * it collects the body, parses it, and prints it with the other fields of a pet.
 */
import { createServer } from 'node:http'

const { port, key, status, body, parses } = JSON.parse(process.argv[2])

const authorization = `Bearer ${key}`
const unauthorized = '{"code":"unauthorized","message":"The API key is not valid.","status":401}'
const headOf = (text) => [
  'content-type',
  'application/json',
  'content-length',
  String(Buffer.byteLength(text)),
]
const head = headOf(body)
const unauthorizedHead = headOf(unauthorized)
const printed = parses ? JSON.parse(body) : undefined

function respond(message, response, text, textHead) {
  if (message.headers.authorization === authorization || status === 401) {
    response.writeHead(status, textHead)
    response.end(text)
  } else {
    response.writeHead(401, unauthorizedHead)
    response.end(unauthorized)
  }
}

function parseAndPrint(message, response) {
  const chunks = []
  message.on('data', (chunk) => chunks.push(chunk))
  message.on('end', () => {
    const sent = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    const text = JSON.stringify({ ...printed, ...sent })
    respond(message, response, text, headOf(text))
  })
}

createServer((message, response) => {
  if (message.method !== 'POST') respond(message, response, body, head)
  else if (parses) parseAndPrint(message, response)
  else message.resume().on('end', () => respond(message, response, body, head))
}).listen(port, '127.0.0.1')
