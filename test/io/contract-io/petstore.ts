import { fileURLToPath } from 'node:url'
import { run } from '../cli/command.ts'

/** What a command did. */
export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Runs `petstore` with its arguments in a folder, with no environment but what is given, in this process. */
export async function petstore(
  args: readonly string[],
  { env = {}, folder = root }: { env?: Record<string, string>; folder?: string } = {},
): Promise<Ran> {
  const { code, stdout, stderr } = await run(args, { env, cwd: folder })
  return { status: code, stdout, stderr }
}
