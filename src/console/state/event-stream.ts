/** One of the Server-Sent Events. */
export interface StreamEvent {
  name: string
  data: string
}

/**
 * Returns a function that takes pieces of a stream, and returns the events that they complete, as the HTML standard
 * defines them: only CR, LF and CRLF end a line. JSON may contain other line breaks, such as U+2028.
 */
export function createEventReader(): (piece: string) => StreamEvent[] {
  let rest = ''
  let isAfterReturn = false
  let name = ''
  let data: string[] = []

  /** An empty line ends an event. */
  function readLine(line: string): StreamEvent[] {
    if (line === '') {
      const event = { name: name || 'message', data: data.join('\n') }
      const isEmpty = data.length === 0
      name = ''
      data = []
      return isEmpty ? [] : [event]
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') name = value
    else if (field === 'data') data.push(value)
    return []
  }

  return (piece) => {
    if (piece === '') return []
    // CRLF may be split between two pieces.
    const lines = (rest + (isAfterReturn ? piece.replace(/^\n/, '') : piece)).split(/\r\n|\n|\r/)
    isAfterReturn = piece.endsWith('\r')
    rest = lines.pop() ?? ''
    return lines.flatMap(readLine)
  }
}
