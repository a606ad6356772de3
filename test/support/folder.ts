import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/**
 * Creates a temporary folder for one test, or with `afterAll` for one test file. Strings and bytes are written as they
 * are, other contents as JSON.
 */
export function makeFolder(
  files: Readonly<Record<string, unknown>> = {},
  whenOver: (remove: () => void) => void = onTestFinished,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-kit-'))
  whenOver(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  for (const [name, content] of Object.entries(files)) {
    const isRaw = typeof content === 'string' || content instanceof Uint8Array
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), isRaw ? content : JSON.stringify(content))
  }
  return folder
}

export const readJson = (folder: string, name: string): any =>
  JSON.parse(readFileSync(join(folder, name), 'utf8'))
