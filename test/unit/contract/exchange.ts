import { decode } from '../../../src/contract/http/response-body.ts'
import { type Exchange, operationOf } from '../../../src/contract/http/exchange.ts'

/** Creates an exchange like the transport does. `request` is one line, such as `GET /pets?limit=5`. */
export function toExchange(
  request: string,
  status: number,
  body: unknown = '',
  { contentType = 'application/json', sentAt = 0 }: { contentType?: string; sentAt?: number } = {},
): Exchange {
  const [method = '', path = ''] = request.split(' ')
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    plan: { method, path },
    operation: operationOf(method, path),
    status,
    headers: contentType === '' ? {} : { 'content-type': contentType },
    content: decode(Buffer.from(text)),
    sentAt,
    durationMs: 1,
  }
}
