import fc from 'fast-check'

const code = (char: string, radix: number): string => char.charCodeAt(0).toString(radix)
const each = (key: string, spell: (char: string) => string): string => [...key].map(spell).join('')
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Encodings in which a server may echo a key. */
export const encodings: Record<string, (key: string) => string> = {
  verbatim: (key) => key,
  'in upper case': (key) => key.toUpperCase(),
  'in lower case': (key) => key.toLowerCase(),
  'in JSON': (key) => JSON.stringify(key),
  'in JSON in JSON': (key) => JSON.stringify(JSON.stringify(key)),
  'in JSON in JSON in JSON': (key) => JSON.stringify(JSON.stringify(JSON.stringify(key))),
  'with slashes escaped': (key) => JSON.stringify(key).replaceAll('/', '\\/'),
  'in \\u escapes': (key) => each(key, (char) => `\\u${code(char, 16).padStart(4, '0')}`),
  'in \\u escapes of upper case': (key) =>
    each(key, (char) => `\\u00${code(char, 16).toUpperCase()}`),
  'in \\u escapes in JSON': (key) => each(key, (char) => `\\\\u${code(char, 16).padStart(4, '0')}`),
  'in \\x escapes': (key) => each(key, (char) => `\\x${code(char, 16)}`),
  'as a part of a URL': encodeURIComponent,
  'in percent signs': (key) => each(key, (char) => `%${code(char, 16)}`),
  'in percent signs twice': (key) => each(key, (char) => `%25${code(char, 16).toUpperCase()}`),
  'in HTML': (key) => each(key, (char) => entities[char] ?? char),
  'in percent signs three times': (key) => each(key, (char) => `%2525${code(char, 16)}`),
  'in \\u{} escapes': (key) => each(key, (char) => `\\u{${code(char, 16)}}`),
  'in HTML in HTML': (key) =>
    each(key, (char) => (entities[char] ?? char).replaceAll('&', '&amp;')),
  'in decimal references': (key) => each(key, (char) => `&#${code(char, 10)};`),
  'in padded decimal references': (key) => each(key, (char) => `&#0${code(char, 10)};`),
  'in hexadecimal references': (key) => each(key, (char) => `&#x${code(char, 16)};`),
  'in base64': (key) => Buffer.from(key).toString('base64'),
  'in base64 with its scheme': (key) => Buffer.from(`Bearer ${key}`).toString('base64'),
  'in base64 as a password': (key) => Buffer.from(`pets:${key}`).toString('base64'),
  'in base64 as a user': (key) => Buffer.from(`${key}:`).toString('base64'),
  'in base64 amid a text': (key) => Buffer.from(`{"a":"${key}"}`).toString('base64'),
  'in base64 of MIME': (key) =>
    Buffer.from(`${'x'.repeat(40)}${key}`)
      .toString('base64')
      .replace(/.{64}/g, '$&\r\n'),
  'in base64 of a JSON string': (key) => Buffer.from(JSON.stringify(key)).toString('base64'),
  'in hexadecimal': (key) => Buffer.from(key).toString('hex'),
  'in hexadecimal, in upper case': (key) => `a${Buffer.from(key).toString('hex').toUpperCase()}`,
  'in hexadecimal, spaced': (key) => each(key, (char) => ` ${code(char, 16)}`),
  'in hexadecimal, with colons': (key) => [...key].map((char) => code(char, 16)).join(':'),
  'as an array of bytes': (key) => [...key].map((char) => `0x${code(char, 16)}`).join(', '),
  'as a Buffer': (key) => JSON.stringify(Buffer.from(key)),
  'as a Buffer in JSON': (key) => JSON.stringify(JSON.stringify(Buffer.from(key))),
  'as a Buffer in lines': (key) => JSON.stringify(Buffer.from(key), null, 2),
  'as a Buffer in lines in JSON': (key) =>
    JSON.stringify(JSON.stringify(Buffer.from(key), null, 8)),
  'as a Buffer that was inspected': (key) =>
    `<Buffer ${each(key, (char) => ` ${code(char, 16)}`).trim()}>`,
  'broken by a line break': (key) => `${key.slice(0, 5)}\r\n    ${key.slice(5)}`,
  'broken by a line break in JSON': (key) => `${key.slice(0, 5)}\\n${key.slice(5)}`,
  'without its first character': (key) => key.slice(1),
  'without its last character': (key) => key.slice(0, -1),
  'without its last quarter': (key) => key.slice(0, Math.floor(key.length * 0.75)),
  'without its first quarter': (key) => key.slice(Math.ceil(key.length / 4)),
  'in base64 for URLs': (key) =>
    Buffer.from(`{"authorization":"Bearer ${key}"}`).toString('base64url'),
}

const decodings: ((text: string) => string)[] = [
  (text) => text,
  (text) =>
    text.replace(/\\+(?:u00|x)([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
  (text) =>
    text.replace(/\\u\{([0-9a-f]+)\}/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
  (text) => text.replace(/\\+(.)/g, '$1'),
  (text) => text.replace(/\s+|\\+[nr]/g, ''),
  ...[0, 1].map(
    (offset) => (text: string) =>
      text
        .replace(/0x|[\s,:]/gi, '')
        .replace(/[0-9a-f]{8,}/gi, (part) =>
          Buffer.from(part.slice(offset), 'hex').toString('latin1'),
        ),
  ),
  (text) =>
    text
      // Drop the partial byte before the ellipsis.
      .replace(/,\d+\.{3}/g, '')
      .replace(/\d+(?:[\s,]|\\n)+(?=\d)/g, (part) =>
        String.fromCharCode(Number.parseInt(part, 10)),
      ),
  (text) =>
    text.replace(/%(?:25)*([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
  (text) => text.replace(/&#(\d+);/g, (_, decimal: string) => String.fromCharCode(Number(decimal))),
  (text) =>
    text.replace(/&#x([0-9a-f]+);/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
  (text) =>
    text.replace(
      /&[a-z]+;/g,
      (name) => Object.keys(entities).find((char) => entities[char] === name) ?? name,
    ),
  (text) =>
    text.replace(/[\w+/-]{8,}=*/g, (part) => Buffer.from(part, 'base64').toString('latin1')),
  (text) =>
    text.replace(/[\w+/-]{8,}=*/g, (part) => Buffer.from(`A${part}`, 'base64').toString('latin1')),
  (text) =>
    text.replace(/[\w+/-]{8,}=*/g, (part) => Buffer.from(`AA${part}`, 'base64').toString('latin1')),
  (text) =>
    text.replace(/[\w+/-]{8,}=*/g, (part) =>
      Buffer.from(`AAA${part}`, 'base64').toString('latin1'),
    ),
]

/** Whether `length` consecutive characters of the key can be decoded from a text. */
export function holds(text: string, key: string, length = key.length - 1): boolean {
  const parts = Array.from({ length: key.length - length + 1 }, (_, at) =>
    key.slice(at, at + length).toLowerCase(),
  )
  return decodings.some((decode) => {
    const plain = decode(text).toLowerCase()
    return parts.some((part) => plain.includes(part))
  })
}

/** Random keys of 10 to 40 characters. */
export const randomKey = fc.noBias(
  fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((char) => String.fromCharCode(char)),
    minLength: 10,
    maxLength: 40,
  }),
)

/** The number of consecutive characters of a key that must not leak: two thirds, at most 16. */
export const pieceOf = (key: string): number => Math.min(16, Math.ceil((key.length * 2) / 3))
