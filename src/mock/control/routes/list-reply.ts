import { printJson } from '../../../json.ts'
import type { MockReply } from '../../service/message.ts'
import { inSlices, type Sliced } from '../../journal/slices.ts'
import { type StreamReply, streamed, text } from './route.ts'

/** Characters above which a body is sent in pieces: encoding one of 17 MB blocks all other requests. */
const pieceLength = 2 ** 16

interface Printing<Row> {
  toRow?: (row: Row) => object
  /** Spaces per level within a row. Default: each row is one line. */
  indent?: number
  isGone: () => boolean
}

/** A document whose list is still empty, with these rows. It is printed in slices, and sent in pieces if it is long. */
export async function listReply<Row extends object>(
  document: object,
  rows: readonly Row[],
  printing: Printing<Row>,
): Promise<MockReply | StreamReply> {
  const pieces = await inSlices(print(document, rows, printing))
  const type = 'application/json'
  return pieces.length === 1 ? text(200, type, pieces[0] ?? '') : streamed(type, pieces)
}

function* print<Row extends object>(
  document: object,
  rows: readonly Row[],
  { toRow = (row) => row, indent = 0, isGone }: Printing<Row>,
): Sliced<string[]> {
  const printed = printJson(document, 2)
  const at = printed.indexOf('[]') + 1
  const margin = ' '.repeat(indent && 4)
  const pieces: string[] = []
  let piece = printed.slice(0, at)
  for (const [index, row] of rows.entries()) {
    yield
    if (isGone()) throw new Error('The client has gone.')
    piece += `${index === 0 ? '' : ','}\n${margin}`
    piece += printJson(toRow(row), indent).replaceAll('\n', `\n${margin}`)
    if (piece.length < pieceLength) continue
    pieces.push(piece)
    piece = ''
  }
  return [
    ...pieces,
    `${piece}${rows.length === 0 ? '' : `\n${margin && '  '}`}${printed.slice(at)}\n`,
  ]
}
