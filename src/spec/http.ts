/** A request as plain data, so that it can carry what a WHATWG `Request` forbids. */
export interface HttpRequest {
  /** As sent, in any letter case: `GET`. */
  method: string
  /** The request target in origin form, undecoded: `/v1/pets?limit=5`. */
  target: string
  /** Header names in lower case. A header that came more than once has an array. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body as text; empty when there is no body. */
  body: string
}

/** A reply as plain data. */
export interface HttpReply {
  /** The HTTP status code. */
  status: number
  /** Header names in lower case. Content-Length is the server adapter's affair. */
  headers: Readonly<Record<string, string>>
  /** The body as text; empty when there is no body. */
  body: string
}

/** As Node sends them. */
export const statusTexts: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  418: "I'm a Teapot",
  421: 'Misdirected Request',
  422: 'Unprocessable Entity',
  423: 'Locked',
  425: 'Too Early',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  507: 'Insufficient Storage',
}
