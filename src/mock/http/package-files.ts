import { readdir, readFile } from 'node:fs/promises'

// The same path from the source, the compiled files and the bundled command.
const folder = new URL('../../../dist/', import.meta.url)

/** Reads a file that the build wrote to dist/. In the executable, scripts/executable.mjs replaces this module. */
export const readPackageFile = (path: string): Promise<string> =>
  readFile(new URL(path, folder), 'utf8')

/** The names of the files in a folder of dist/; none if it does not exist. */
export const packageFilesIn = (path: string): Promise<string[]> =>
  readdir(new URL(`${path}/`, folder)).catch(() => [])
