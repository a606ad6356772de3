import { readdir, readFile } from 'node:fs/promises'

// The same path from the source, the compiled files and the bundled command.
const inFolder = (path: string): URL => new URL(`../../../dist/${path}`, import.meta.url)

/** Reads a file that the build wrote to dist/. In the executable, scripts/executable.mjs replaces this module. */
export const readPackageFile = async (path: string): Promise<string> =>
  readFile(inFolder(path), 'utf8')

/** The names of the files in a folder of dist/; none if it does not exist. */
export const packageFilesIn = async (path: string): Promise<string[]> => {
  try {
    return await readdir(inFolder(`${path}/`))
  } catch {
    return []
  }
}
