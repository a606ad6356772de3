/**
 * The floor: the minimum that any server on node:http must do. It checks the key, reads a body without parsing it, and
 * responds with a constant text and its length. All ratios compare with it.
 */
import { createServer } from 'node:http'

const { port, key, status, body } = JSON.parse(process.argv[2])

const authorization = `Bearer ${key}`
const head = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))]
const unauthorized = '{"code":"unauthorized","message":"The API key is not valid.","status":401}'
const unauthorizedHead = [
  'content-type',
  'application/json',
  'content-length',
  String(unauthorized.length),
]

function respond(message, response) {
  if (message.headers.authorization === authorization || status === 401) {
    response.writeHead(status, head)
    response.end(body)
  } else {
    response.writeHead(401, unauthorizedHead)
    response.end(unauthorized)
  }
}

createServer((message, response) => {
  if (message.method === 'POST') message.resume().on('end', () => respond(message, response))
  else respond(message, response)
}).listen(port, '127.0.0.1')
