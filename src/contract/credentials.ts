/**
 * The ways in which a request can present itself. Each knows the header it sends, and how a shell makes the same header
 * from `$PETSTORE_API_KEY`, so that no report needs the key.
 */
export interface Credential {
  /** What a reader calls it: "no Authorization header". */
  name: string
  /** The value of the Authorization header; undefined sends none. */
  header(key: string): string | undefined
  /** The same value in words of a POSIX shell, inside double quotes. */
  shell?: string
}

const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))

/** The key in the form that "Authentication" demands. */
export const validKey: Credential = {
  name: 'the key',
  header: (key) => `Bearer ${key}`,
  shell: 'Bearer $PETSTORE_API_KEY',
}

export const noHeader: Credential = { name: 'no Authorization header', header: () => undefined }

export const emptyHeader: Credential = { name: 'an empty Authorization header', header: () => '', shell: '' }

export const emptyToken: Credential = { name: 'an empty bearer token', header: () => 'Bearer ', shell: 'Bearer ' }

export const wrongKey: Credential = {
  name: 'another key of the same length',
  header: (key) =>
    `Bearer ${key.replace(/[a-z0-9]/gi, (char) => (/[0-9]/.test(char) ? otherDigit(char) : otherLetter(char)))}`,
  shell: "Bearer $(printf %s \"$PETSTORE_API_KEY\" | tr 'a-zA-Z0-9' 'n-za-mN-ZA-M5-90-4')",
}

const otherDigit = (digit: string): string => String((Number(digit) + 5) % 10)

function otherLetter(letter: string): string {
  const base = letter <= 'Z' ? 65 : 97
  return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
}

export const unknownKey: Credential = {
  name: 'a key that was never given out',
  header: () => 'Bearer petstore-kit-no-such-key',
  shell: 'Bearer petstore-kit-no-such-key',
}

const underScheme = (scheme: string): Credential => ({
  name: `the key under the scheme ${scheme}`,
  header: (key) => `${scheme} ${key}`,
  shell: `${scheme} $PETSTORE_API_KEY`,
})

export const basicScheme = underScheme('Basic')
export const tokenScheme = underScheme('Token')
export const apiKeyScheme = underScheme('ApiKey')

export const bareKey: Credential = {
  name: 'the key without a scheme',
  header: (key) => key,
  shell: '$PETSTORE_API_KEY',
}

export const cutKey: Credential = {
  name: 'the key without its last character',
  header: (key) => `Bearer ${key.slice(0, -1)}`,
  shell: 'Bearer ${PETSTORE_API_KEY%?}',
}

export const lengthenedKey: Credential = {
  name: 'the key with a character more',
  header: (key) => `Bearer ${key}x`,
  shell: 'Bearer ${PETSTORE_API_KEY}x',
}

export const prefixedKey: Credential = {
  name: 'the key with a character before it',
  header: (key) => `Bearer x${key}`,
  shell: 'Bearer x$PETSTORE_API_KEY',
}

export const otherCaseKey: Credential = {
  name: 'the key in other letter case',
  header: (key) => `Bearer ${swapCase(key)}`,
  shell: "Bearer $(printf %s \"$PETSTORE_API_KEY\" | tr 'a-zA-Z' 'A-Za-z')",
}

/** Implementation-defined: `bearer` in lower case. */
export const lowerCaseScheme: Credential = {
  name: 'the key under the scheme in lower case',
  header: (key) => `bearer ${key}`,
  shell: 'bearer $PETSTORE_API_KEY',
}
