import type { Failure } from './session.ts'

/** A failure for a reader: what was wrong, how to repeat it, and the bytes. */
export function describeFailure({ name, faults, sent, received }: Failure, seed: string, longest = 2_000): string {
  const lines = [`FAILED ${name}`, ...faults.map((fault) => `  ${fault}`)]
  if (name.includes('/')) lines.push(`  Repeat: npm run fuzz -- --seed ${seed} --only ${name}`)
  if (sent.length > 0) lines.push('  Sent:', ...toLines(sent, longest))
  if (received.length > 0) lines.push('  Received:', ...toLines(received, longest))
  return lines.join('\n')
}

/** Bytes as escaped text, a line each for lines; the middle of a long one is left out. */
function toLines(bytes: Buffer, longest: number): string[] {
  const shown =
    bytes.length <= longest
      ? escape(bytes)
      : `${escape(bytes.subarray(0, longest / 2))}\n[${bytes.length - longest} bytes left out]\n${escape(bytes.subarray(-longest / 2))}`
  return shown.split('\n').map((line) => `    ${line}`)
}

function escape(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll('\\', '\\\\')
    .replaceAll('\r\n', '\\r\\n\n')
    .replace(/[^\n\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
