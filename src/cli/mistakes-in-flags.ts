import { UsageError } from '../errors.ts'
import { nearest } from '../options.ts'
import type { JsonSource } from './json-source.ts'

/** The files whose mistakes `startMock` finds. */
export interface Sources {
  data: JsonSource | undefined
  rules: JsonSource | undefined
  /** Rules of other flags, which come before those of the file. */
  rulesBefore: number
}

/** The mistakes of options in the words of the command line, and with the places in files. */
export function inFlags(error: UsageError, { data, rules, rulesBefore }: Sources): UsageError {
  const lines = error.message.split('\n')
  const inData = withPlaces(data, lines, /^data(?<pointer>(?:\/[^\s:]*)?)(?<what>: [^]*)$/)
  const inRules = withPlaces(rules, lines, /^rules(?<pointer>\/\S+)(?<what> [^]*)$/, (pointer) =>
    pointer.replace(/\d+/, (index) => String(Number(index) - rulesBefore)),
  )
  return new UsageError(lines.map((line) => inData.get(line) ?? inRules.get(line) ?? inWords(line)).join('\n'), {
    cause: error,
  })
}

/**
 * Those of the lines that are about a file, with the place in front.
 *
 * @param pattern finds a JSON pointer, and what is wrong there
 * @param toPointer makes it a pointer into the file
 */
function withPlaces(
  source: JsonSource | undefined,
  lines: readonly string[],
  pattern: RegExp,
  toPointer: (pointer: string) => string = (pointer) => pointer,
): Map<string, string> {
  const found = lines.flatMap((line) => {
    const { pointer, what = '' } = pattern.exec(line)?.groups ?? {}
    return pointer === undefined ? [] : [{ line, pointer: toPointer(pointer), what }]
  })
  if (source === undefined || found.length === 0) return new Map()
  const places = source.places(found.map(({ pointer }) => pointer))
  return new Map(
    found.map(({ line, pointer, what }) => [
      line,
      `${places.get(pointer)}: ${pointer === '' ? what.slice(2) : `${pointer}${what}`}`,
    ]),
  )
}

/** What `startMock` calls its options, and what the command line calls them. */
const flagOf: Record<string, string> = {
  keys: 'key',
  basePath: 'base-path',
  profile: 'choose',
  deviations: 'deviate',
  controlToken: 'control-token',
}

function inWords(mistake: string): string {
  return mistake
    .replace(
      /^(seed|pets|keys|basePath|now|port|host|profile|deviations|controlToken)(?= must|:)/,
      (name) => `--${flagOf[name] ?? name}`,
    )
    .replace('a Date, a date such as 2030-12-05, or a function', 'a date such as 2030-12-05')
    .replace(/(there is no (deviation|choice) "([^"]*)")\. There are (.*)\.$/, (_, there: string, kind, id, ids) => {
      const near = nearest(String(id), String(ids).split(', '))
      const list = kind === 'deviation' ? 'petstore mock --list-deviations' : 'petstore profile list'
      return near === undefined ? `${there}; ${list} shows them all` : `${there}; did you mean ${near}?`
    })
}
