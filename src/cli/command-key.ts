import { exec, type ExecException } from 'node:child_process'
import type { KeySource } from '../contract/http/keys.ts'
import { mistakeInKey } from '../option-checks.ts'
import { UsageError } from '../errors.ts'
import { createRedactor } from '../report/redact.ts'
import { shortInert } from '../report/text.ts'
import { decode } from './files.ts'

/** A login may take a while. */
const maxMs = 60_000
const maxBytes = 65_536

/**
 * Returns the key that a command prints. No message repeats what it printed on stdout, or the command itself.
 *
 * @param place for messages, such as `--key-command`
 */
export function keyFromCommand(command: string, place: string, env: NodeJS.ProcessEnv): KeySource {
  const printed: string[] = []
  return async () => {
    const { code, stdout, stderr } = await runInShell(command, env)
    const key = stdout.trim()
    // A command that fails may print a key among other words.
    printed.push(key, ...key.split(/[^!#-~]+/))
    if (typeof code === 'string') throw new UsageError(`${place} ${code}`)
    if (code === 127) throw new UsageError(`${place}: its program was not found (exit code 127)`)
    if (code !== 0) {
      const last = stderr.trimEnd().split('\n').at(-1) ?? ''
      const words = createRedactor({ '[redacted]': printed })(last)
      throw new UsageError(
        `${place} ended with exit code ${code}${words === '' ? '' : `: ${shortInert(words, 300)}`}`,
      )
    }
    if (key === '') throw new UsageError(`${place} printed no key`)
    const mistake = mistakeInKey(key)
    if (mistake !== undefined) throw new UsageError(`the key that ${place} printed ${mistake}`)
    return key
  }
}

/** `code`: the exit code, or the reason for having none. */
function runInShell(
  command: string,
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { env, timeout: maxMs, maxBuffer: maxBytes, encoding: 'buffer' } as const
    const child = exec(command, options, (error, stdout, stderr) => {
      resolve({ code: codeOf(error), stdout: decode(stdout), stderr: decode(stderr) })
    })
    // It must not read what is meant for another command.
    child.stdin?.on('error', () => {}).end()
  })
}

/** The exit code, or the reason for having none. */
function codeOf(error: ExecException | null): number | string {
  if (error === null) return 0
  const { killed, signal, message } = error
  // Node also sets names of its own errors.
  const code: unknown = error.code
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'printed more than 64 KiB'
  if (killed === true) return `printed no key within ${maxMs / 1_000} s`
  if (typeof signal === 'string') return `was ended by ${signal}`
  return typeof code === 'number' ? code : `cannot be started: ${message}`
}
