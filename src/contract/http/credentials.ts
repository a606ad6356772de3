/** The parts of a request that can carry a key, besides its headers of authorization. */
interface Carrier {
  path: string
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | undefined
}

/**
 * Puts the key, or a placeholder, into the query or the body. Returns the same request where it cannot.
 *
 * @param encoded the key, or the placeholder, as it stands in queries and forms. Default: percent-encoded
 */
type Carry = <Sent extends Carrier>(request: Sent, key: string, encoded?: string) => Sent

/**
 * The ways in which a request can present itself. Each knows the header it sends, and how a shell makes the same header
 * from `$PETSTORE_API_KEY`, so that no report needs the key.
 */
export interface Credential {
  /** For messages: "no Authorization header". */
  name: string
  /** Default: Authorization. */
  field?: string
  header(key: string): string | undefined
  /** The same value for a POSIX shell, inside double quotes. */
  shell?: string
  carry?: Carry
}

const fixed = (name: string, value: string): Credential => ({
  name,
  header: () => value,
  shell: value,
})

const after = (prefix: string, name: string): Credential => ({
  name,
  header: (key) => prefix + key,
  shell: `${prefix}$PETSTORE_API_KEY`,
})

const underScheme = (scheme: string, name = `the key with the scheme ${scheme}`): Credential =>
  after(`${scheme} `, name)

const changed = (name: string, change: (key: string) => string, shell: string): Credential => ({
  name,
  header: (key) => `Bearer ${change(key)}`,
  shell: `Bearer ${shell}`,
})

/** Rotates letters by 13 and digits by 5. */
const rotate = (key: string): string =>
  key.replace(/[a-z0-9]/gi, (char) => {
    const [base, size] = char <= '9' ? [48, 10] : char <= 'Z' ? [65, 26] : [97, 26]
    return String.fromCharCode(((char.charCodeAt(0) - base + size / 2) % size) + base)
  })

const swapCase = (key: string): string =>
  key.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )

const translated = (from: string, to: string): string =>
  `$(printf %s "$PETSTORE_API_KEY" | tr '${from}' '${to}')`

/** The specified form. */
export const validKey = underScheme('Bearer', 'the key')

export const noHeader: Credential = { name: 'no Authorization header', header: () => undefined }
export const emptyHeader = fixed('an empty Authorization header', '')
export const emptyToken = fixed('an empty bearer token', 'Bearer ')
export const unknownKey = fixed('a key that was never issued', 'Bearer petstore-kit-no-such-key')
export const tokenScheme = underScheme('Token')
/** As long as `Bearer`, for targets that only cut it off. */
export const apiKeyScheme = underScheme('ApiKey')
/** For targets that take the key after any scheme, or look for `Bearer` anywhere. */
export const schemeAround = underScheme('xBearer')
export const bareKey = after('', 'the key without a scheme')
/** For targets that take the key as a user name or as a password. */
export const basicPair: Credential = {
  name: 'the key as user and password',
  header: (key) => `Basic ${btoa(`${key}:${key}`)}`,
  shell: 'Basic $(printf %s "$PETSTORE_API_KEY:$PETSTORE_API_KEY" | base64 | tr -d \'\\n\')',
}
export const otherHeader: Credential = {
  ...bareKey,
  name: 'the key in the header X-API-Key',
  field: 'x-api-key',
}
/** The parameters and fields in which services take keys. */
const keyNames = ['api_key', 'apikey', 'access_token', 'token', 'key']

/** Encodes all but the unreserved characters of RFC 3986, as `--data-urlencode` of curl does. */
const percentEncode = (key: string): string =>
  encodeURIComponent(key).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
const pairsWith = (encoded: string): string =>
  keyNames.map((name) => `${name}=${encoded}`).join('&')

const carried = (name: string, carry: Carry): Credential => ({
  name,
  header: () => undefined,
  carry,
})

const cookiesWith = (key: string): string => keyNames.map((name) => `${name}=${key}`).join('; ')
/** For targets that share their keys with the sessions of pages. */
export const keyInCookies: Credential = {
  name: 'the key in cookies',
  field: 'cookie',
  header: cookiesWith,
  shell: cookiesWith('$PETSTORE_API_KEY'),
}

/** Logs keep URLs, so it is sent only to this machine. */
export const keyInQuery = carried(
  'the key in the query',
  (plan, key, encoded = percentEncode(key)) => {
    const path = `${plan.path}${plan.path.includes('?') ? '&' : '?'}${pairsWith(encoded)}`
    return { ...plan, path }
  },
)
export const keyInFields = carried('the key in fields of the body', (plan, key) => {
  // A shell cannot escape the value of a variable for JSON in a readable way.
  if (!plan.body?.endsWith('}') || /["\\]/.test(key)) return plan
  const fields = keyNames.map((name) => `,"${name}":"${key}"`).join('')
  return { ...plan, body: `${plan.body.slice(0, -1)}${fields}}` }
})
/** RFC 6750 lets services take a token from a form. */
export const keyInForm = carried('the key in a form', (plan, key, encoded = percentEncode(key)) => {
  if (plan.body === undefined) return plan
  const headers = { ...plan.headers, 'content-type': 'application/x-www-form-urlencoded' }
  return { ...plan, headers, body: pairsWith(encoded) }
})
export const wrongKey = changed(
  'another key of the same length',
  rotate,
  translated('a-zA-Z0-9', 'n-za-mN-ZA-M5-90-4'),
)
export const cutKey = changed(
  'the key without its last character',
  (key) => key.slice(0, -1),
  '${PETSTORE_API_KEY%?}',
)
export const lengthenedKey = changed(
  'the key with an extra character at the end',
  (key) => `${key}x`,
  '${PETSTORE_API_KEY}x',
)
/** For targets that take the word after the scheme. To others, its form may be a bad request. */
export const keyAndWord = changed(
  'the key and another word',
  (key) => `${key} x`,
  '$PETSTORE_API_KEY x',
)
export const prefixedKey = after('Bearer x', 'the key with an extra character at the start')
export const otherCaseKey = changed(
  'the key with swapped letter case',
  swapCase,
  translated('a-zA-Z', 'A-Za-z'),
)

/** For targets that compare only the beginning of the key, and its length. */
export const nearEndReplaced = changed(
  'the key with another character near its end',
  (key) => key.replace(/.(?=.{4}$)/, (char) => (char === 'x' ? 'y' : 'x')),
  `$(printf %s "$PETSTORE_API_KEY" | sed -E -e 's/x(.{4})$/y\\1/' -e t -e 's/.(.{4})$/x\\1/')`,
)
/** For targets that use the key as a regular expression. */
export const dotsReplaced = changed(
  'the key with other characters for its dots',
  (key) => key.replaceAll('.', 'x'),
  translated('.', 'x'),
)
/** For targets that compare only letters and digits. */
export const withoutPunctuation = changed(
  'the key without its punctuation',
  (key) => key.replace(/[^a-z0-9]/gi, ''),
  '$(printf %s "$PETSTORE_API_KEY" | tr -dc \'a-zA-Z0-9\')',
)
export const keyInList = changed(
  'the key in a list',
  (key) => `${key},other`,
  '$PETSTORE_API_KEY,other',
)
export const pattern = fixed('the bearer token .*', 'Bearer .*')
export const wordNull = fixed('the bearer token null', 'Bearer null')

/** Unspecified behavior. */
export const lowerCaseScheme = underScheme('bearer', 'the key with the scheme in lower case')
