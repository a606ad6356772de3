/** What a command of the command line may touch of its process. */
export interface Console {
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** The working folder. */
  folder: string
  /** Writes to stdout. Resolves when the text is out. */
  print(text: string): Promise<void>
  /** Writes to stderr. */
  tell(text: string): void
  /** Whether stdout, and whether stderr, is a terminal. */
  terminal: { stdout: boolean; stderr: boolean }
  /** Resolves at the first SIGINT, SIGTERM or SIGHUP. */
  interrupted: Promise<void>
}

/** Whether to use colours: `NO_COLOR` and `FORCE_COLOR` before what the stream is. */
export function wantsColor({ env }: Console, isTerminal: boolean): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  if (env['FORCE_COLOR'] !== undefined) return !['0', 'false'].includes(env['FORCE_COLOR'])
  return isTerminal && env['TERM'] !== 'dumb'
}
