import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from 'vite'
import { measure } from './measure.ts'
import { toPage } from './page.ts'

const root = join(import.meta.dirname, '../..')

/** Measures the package that is built, and writes docs/size.md. */
export async function main(): Promise<void> {
  writeFileSync(join(root, 'docs/size.md'), toPage(await measure(root), `Measured with Vite ${version}.`))
}
