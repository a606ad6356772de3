import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Issue } from '../errors.ts'

/** Validates certificates: TLS ignores unreadable ones silently. */
export function readCertificates(ca: string | undefined, mistakes: Issue[], path = 'ca'): string | undefined {
  if (ca === undefined) return undefined
  const blocks = ca.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^]*?-----END [^-]*-----/g) ?? []
  try {
    for (const block of blocks) void new X509Certificate(block)
  } catch {
    mistakes.push({ path, message: 'holds a PEM certificate that cannot be read' })
    return undefined
  }
  if (blocks.length === 0) mistakes.push({ path, message: 'holds no PEM certificate' })
  return ca
}

/** The message does not repeat the key. */
export function readPrivateKey(key: string | undefined, mistakes: Issue[]): string | undefined {
  try {
    if (key !== undefined) createPrivateKey(key)
    return key
  } catch {
    mistakes.push({ path: 'certKey', message: 'holds no PEM private key' })
    return undefined
  }
}
