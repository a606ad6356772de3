import { UsageError } from '../errors.ts'
import type { StartOptions } from '../mock/start.ts'
import type { Parsed } from '../options.ts'

/** How requests are printed. */
export type LogFormat = 'text' | 'json' | 'none'

/**
 * The value of `--log`.
 *
 * @throws {UsageError} when it is no format
 */
export function readLogFormat(flags: Parsed, fallback: LogFormat): LogFormat {
  const format = flags.text('log') ?? fallback
  if (format === 'text' || format === 'json' || format === 'none') return format
  throw new UsageError(`--log takes text, json or none, not ${JSON.stringify(format)}`)
}

/** What prints each request, or nothing, which costs nothing. */
export async function createLog(
  format: LogFormat,
  color: boolean,
  write: (text: string) => void,
): Promise<StartOptions['onRequest']> {
  if (format === 'none') return undefined
  const { toJsonLine, toTextLine } = await import('./request-log.ts')
  const toLine = format === 'json' ? toJsonLine : toTextLine({ color })
  return (request) => write(toLine(request))
}
