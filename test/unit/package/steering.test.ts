/** Words are printed, and steer nothing: who rewords a message changes no verdict. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor, type ESTree } from 'vite'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../../../src')

/** What a reader is shown. */
const words = new Set(['message', 'expected', 'actual', 'reason', 'cause'])
const readers = new Set(['includes', 'startsWith', 'endsWith', 'indexOf', 'match', 'search'])

/** Files that read words, and why: the words of programs that give nothing else, and the grammar of what is printed. */
const allowed: Readonly<Record<string, string>> = {
  'cli/command.ts': 'adds the command that lists all names to a sentence without a hint',
  'errors.ts': 'joins a path and the end of a sentence',
  'validate.ts': 'ends a sentence that is no question with a point',
  'contract/http/failure.ts': 'OpenSSL says in words why a handshake failed',
  'contract/http/response-body.ts': 'JSON.parse says in words what is wrong where',
  'mock/shared/engine.ts': 'the first word of a reply of Redis is its code',
  'mock/shared/journals.ts': 'the first word of a reply of Redis is its code',
}

/** Whether an expression is one of the words: `message`, `one.message`, `(error as Error).message?.trim()`. */
function areWords(node: ESTree.Node): boolean {
  if (node.type === 'Identifier') return words.has(node.name)
  if (node.type === 'MemberExpression')
    return !node.computed && node.property.type === 'Identifier' && words.has(node.property.name)
  if (node.type === 'CallExpression')
    return node.callee.type === 'MemberExpression' && areWords(node.callee.object)
  return 'expression' in node && typeof node.expression === 'object' && areWords(node.expression)
}

const isText = ({ type, ...node }: ESTree.Node): boolean =>
  type === 'TemplateLiteral' ||
  (type === 'Literal' && 'raw' in node && /^['"/](?!['"]$)/.test(node.raw ?? ''))

/** The lines that read words: compare them with a text, or search in them for one. */
function readingsIn(file: string, code: string): string[] {
  const found: string[] = []
  const add = ({ start }: ESTree.Node): void => {
    const line = code.slice(0, start).split('\n').length
    found.push(`${file}:${line}: ${code.split('\n')[line - 1]?.trim()}`)
  }
  new Visitor({
    BinaryExpression(node) {
      const isComparison = /^[!=]==?$/.test(node.operator)
      const [left, right] = [node.left, node.right]
      if (isComparison && ((areWords(left) && isText(right)) || (areWords(right) && isText(left))))
        add(node)
    },
    CallExpression(node) {
      const {
        callee,
        arguments: [first],
      } = node
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier' || !first)
        return
      const { name } = callee.property
      if (readers.has(name) && areWords(callee.object) && isText(first)) add(node)
      if (/^(?:test|exec)$/.test(name) && areWords(first)) add(node)
    },
    SwitchStatement(node) {
      if (areWords(node.discriminant)) add(node)
    },
  }).visit(parseSync(file, code).program)
  return found
}

test('nothing in src depends on words: give what decides a kind, a status or an id beside them', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /(?<!\.gen|\.d)\.tsx?$/.test(name) && !Object.hasOwn(allowed, name))
  expect(files.length).toBeGreaterThan(200)
  const found = files.flatMap((name) => readingsIn(name, readFileSync(join(src, name), 'utf8')))
  expect(found).toEqual([])
})

test.each(Object.keys(allowed))('%s still reads words', (name) => {
  expect(readingsIn(name, readFileSync(join(src, name), 'utf8'))).not.toEqual([])
})

test.each([
  "if (violation.cause?.endsWith('pet missing')) wait()",
  "const isLost = finding.actual === 'it is not there'",
  'const is404 = /^status 404/.test(finding!.actual)',
  'const [, status] = /^status (\\d+)$/.exec(actual) ?? []',
  "const isHint = (error as Error).message.toLowerCase().includes('did you mean')",
  'switch (reason) { case `removed`: stop() }',
])('%s is found', (code) => {
  expect(readingsIn('a.ts', code)).toEqual([`a.ts:1: ${code}`])
})
