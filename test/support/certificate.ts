import {
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto'

export interface Certified {
  cert: string
  key: string
}

/** A certificate authority. */
export interface Authority extends Certified {
  name: string
  privateKey: KeyObject
}

interface Claims {
  name: string
  /** The hosts in its subjectAltName: IPv4 addresses and DNS names. */
  hosts?: readonly string[]
  /** The end of its validity. Default: tomorrow. */
  until?: Date
}

const dayMs = 24 * 60 * 60 * 1000

/** Creates a private authority, which no client trusts by default; intermediate, if another one signs it. */
export function createAuthority(name: string, root?: Authority): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const cert = certify({ name }, publicKey, root ?? { name, privateKey }, true)
  return { cert, key: toPem(privateKey), name, privateKey }
}

/** Creates a server certificate, signed by an authority or self-signed. */
export function createCertificate(claims: Claims, authority?: Authority): Certified {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = authority ?? { name: claims.name, privateKey }
  return { cert: certify(claims, publicKey, issuer, false), key: toPem(privateKey) }
}

const toPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** An X.509 v3 certificate (RFC 5280 section 4.1), signed with ECDSA over SHA-256. */
function certify(
  { name, hosts = [], until = new Date(Date.now() + dayMs) }: Claims,
  publicKey: KeyObject,
  issuer: Pick<Authority, 'name' | 'privateKey'>,
  isAuthority: boolean,
): string {
  const algorithm = sequence(oid(1, 2, 840, 10045, 4, 3, 2))
  const since = new Date(until.getTime() - 2 * dayMs)
  const extensions = [
    // basicConstraints, critical: whether it may sign other certificates.
    sequence(
      oid(2, 5, 29, 19),
      boolean(true),
      octets(sequence(...(isAuthority ? [boolean(true)] : []))),
    ),
    ...(hosts.length > 0
      ? [sequence(oid(2, 5, 29, 17), octets(sequence(...hosts.map(toGeneralName))))]
      : []),
  ]
  const toBeSigned = sequence(
    tagged(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])), // serial number, positive
    algorithm,
    distinguishedName(issuer.name),
    sequence(time(since), time(until)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', toBeSigned, issuer.privateKey)
  const der = sequence(
    toBeSigned,
    algorithm,
    tagged(0x03, Buffer.concat([Buffer.from([0]), signature])),
  )
  return new X509Certificate(der).toString()
}

/** dNSName is [2], iPAddress is [7]. */
function toGeneralName(host: string): Buffer {
  return /^\d+(\.\d+){3}$/.test(host)
    ? tagged(0x87, Buffer.from(host.split('.').map(Number)))
    : tagged(0x82, Buffer.from(host))
}

/** One attribute, the common name. */
const distinguishedName = (name: string): Buffer =>
  sequence(tagged(0x31, sequence(oid(2, 5, 4, 3), tagged(0x0c, Buffer.from(name)))))

/** UTCTime: 261120120000Z. */
const time = (date: Date): Buffer =>
  tagged(
    0x17,
    Buffer.from(
      date
        .toISOString()
        .slice(2)
        .replace(/\.\d+|[-:T]/g, ''),
    ),
  )

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts))
const octets = (content: Buffer): Buffer => tagged(0x04, content)
const integer = (content: Buffer): Buffer => tagged(0x02, content)
const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]))

/** An object identifier: the first two numbers share a byte, the others have seven bits per byte, high bits first. */
function oid(first: number, second: number, ...rest: number[]): Buffer {
  const bytes = rest.flatMap((number) => {
    const digits = [number & 0x7f]
    for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
    return digits
  })
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]))
}

/** DER: a tag, the length of the content, the content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
