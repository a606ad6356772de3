/** A gzip file whose content is stored as it is: valid, and made without a library that browsers do not have. */
export function storedGzip(content: Uint8Array): Uint8Array {
  const blocks: number[] = []
  for (let at = 0; at === 0 || at < content.length; at += 0xffff) {
    const block = content.subarray(at, at + 0xffff)
    const isLast = at + 0xffff >= content.length
    blocks.push(isLast ? 1 : 0, ...littleEndian(block.length, 2), ...littleEndian(~block.length, 2), ...block)
  }
  const head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
  return Uint8Array.from([...head, ...blocks, ...littleEndian(crc32(content), 4), ...littleEndian(content.length, 4)])
}

function littleEndian(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => (value >>> (8 * index)) & 0xff)
}

function crc32(bytes: Uint8Array): number {
  let crc = -1
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc
}
