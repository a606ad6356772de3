import { Buffer } from 'node:buffer'

/** A body as far as it was copied while it passed. */
export interface Copied {
  bytes: Buffer
  /** Set when it is longer, or when there was no capacity for a copy. */
  isPart: boolean
}

/** Bytes of a body that are copied: 512 KiB; and of all that are not judged yet: 64 MiB. */
const mostCopied = 2 ** 19
const mostOfAll = 64 * 2 ** 20

/** Copies what passes, as far as there is capacity. */
export function createCopy(budget: { used: number }): {
  copied: Copied
  add: (chunk: Buffer) => void
  release: () => void
} {
  const chunks: Buffer[] = []
  let size = 0
  const copied = {
    isPart: false,
    get bytes() {
      return Buffer.concat(chunks)
    },
  }
  return {
    copied,
    add(chunk) {
      if (copied.isPart) return
      if (size + chunk.length > mostCopied || budget.used + chunk.length > mostOfAll) copied.isPart = true
      else {
        chunks.push(chunk)
        size += chunk.length
        budget.used += chunk.length
      }
    },
    release() {
      budget.used -= size
      size = 0
      chunks.length = 0
    },
  }
}
