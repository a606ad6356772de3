import { gzipSync } from 'node:zlib'
import type { Chance } from '../chance.ts'
import { anyJson, faultOfCreated, halfNames, names, notJson, numbers, type ReadPet, readNewPet } from '../json-texts.ts'
import { answered, answeredOrEnded, isError, petsPath, toCreation, toRequest } from '../requests.ts'
import type { Context, Expected, FuzzCase, Scenario } from '../scenario.ts'

/** 1 MiB: as much as the mock reads. */
const bodyLimit = 1_048_576

/** The reply to a body: 201 with what was sent, or 400, as the specification reads it. */
function replyTo(body: string | Buffer): Expected {
  const sent = readNewPet(Buffer.from(body))
  return sent === undefined ? isError(400) : creates(sent)
}

function creates(sent: ReadPet, ...otherwise: readonly number[]): Expected {
  return { method: 'POST', statuses: [201, ...otherwise], body: (text) => faultOfCreated(text, sent) }
}

const post = (context: Context, body: string | Buffer, reply = replyTo(body)): Scenario =>
  answered(context, [toCreation(context, body)], [reply])

/** Bodies that are no NewPet, or only just. */
const bodies: Record<string, (name: string) => string | Buffer> = {
  empty: () => '',
  space: () => ' ',
  nul: () => '\0',
  null: () => 'null',
  true: () => 'true',
  number: () => '7',
  string: () => '"x"',
  array: () => '[]',
  'array-of-pet': (name) => `[{"name":"${name}","categoryId":1}]`,
  object: () => '{}',
  'name-only': (name) => `{"name":"${name}"}`,
  'category-only': () => '{"categoryId":1}',
  'name-null': () => '{"name":null,"categoryId":1}',
  'name-number': () => '{"name":1,"categoryId":1}',
  'name-array': (name) => `{"name":["${name}"],"categoryId":1}`,
  'category-null': (name) => `{"name":"${name}","categoryId":null}`,
  'category-string': (name) => `{"name":"${name}","categoryId":"1"}`,
  'category-true': (name) => `{"name":"${name}","categoryId":true}`,
  'category-array': (name) => `{"name":"${name}","categoryId":[1]}`,
  'category-object': (name) => `{"name":"${name}","categoryId":{"valueOf":1}}`,
  'status-null': (name) => `{"name":"${name}","categoryId":1,"status":null}`,
  'status-empty': (name) => `{"name":"${name}","categoryId":1,"status":""}`,
  'status-other-case': (name) => `{"name":"${name}","categoryId":1,"status":"Sold"}`,
  'status-proto': (name) => `{"name":"${name}","categoryId":1,"status":"__proto__"}`,
  'status-array': (name) => `{"name":"${name}","categoryId":1,"status":["sold"]}`,
  'other-member-case': (name) => `{"Name":"${name}","CategoryId":1}`,
  'nul-in-member': (name) => String.raw`{"name\u0000":"${name}","categoryId":1}`,
  unfinished: (name) => `{"name":"${name}","categoryId":1`,
  'unfinished-string': (name) => `{"name":"${name}`,
  'trailing-comma': (name) => `{"name":"${name}","categoryId":1,}`,
  'trailing-text': (name) => `{"name":"${name}","categoryId":1} x`,
  'trailing-nul': (name) => `{"name":"${name}","categoryId":1}\0`,
  'two-objects': (name) => `{"name":"${name}","categoryId":1}{"name":"${name}","categoryId":1}`,
  'single-quotes': (name) => `{'name':'${name}','categoryId':1}`,
  'bare-names': (name) => `{name:"${name}",categoryId:1}`,
  comments: (name) => `/* x */{"name":"${name}","categoryId":1}`,
  'odd-space': (name) => `{\u00a0"name":"${name}","categoryId":1}`,
  'raw-line-feed': (name) => `{"name":"${name}\n","categoryId":1}`,
  'raw-tab': (name) => `{"name":"${name}\t","categoryId":1}`,
  'raw-nul': (name) => `{"name":"${name}\0","categoryId":1}`,
  'bad-escape': (name) => String.raw`{"name":"${name}\x41","categoryId":1}`,
  'short-escape': (name) => String.raw`{"name":"${name}\u00","categoryId":1}`,
  form: (name) => `name=${name}&categoryId=1`,
  xml: (name) =>
    `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><pet><name>${name}&e;</name></pet>`,
  yaml: (name) => `name: ${name}\ncategoryId: 1\n`,
  'utf-16': (name) => Buffer.from(`{"name":"${name}","categoryId":1}`, 'utf16le'),
  gzip: (name) => gzipSync(`{"name":"${name}","categoryId":1}`),
  'invalid-utf-8': (name) => inName(name, [0xff]),
  'cut-utf-8': (name) => inName(name, [0xe2, 0x82]),
  'overlong-utf-8': (name) => inName(name, [0xc0, 0xaf]),
  'surrogate-in-utf-8': (name) => inName(name, [0xed, 0xa0, 0x80]),
  'beyond-unicode': (name) => inName(name, [0xf5, 0x80, 0x80, 0x80]),
  latin1: (name) => inName(name, [0xe9]),
  'proto-holds-the-pet': (name) => `{"__proto__":{"name":"${name}","categoryId":1}}`,
  'proto-null': (name) => `{"__proto__":null,"name":"${name}","categoryId":1}`,
  'proto-array': (name) => `{"__proto__":[],"name":"${name}","categoryId":1}`,
  'proto-polluting': (name) => `{"__proto__":{"status":"hacked","isAdmin":true},"name":"${name}","categoryId":1}`,
  'constructor-polluting': (name) =>
    `{"constructor":{"prototype":{"status":"hacked"}},"name":"${name}","categoryId":1}`,
  'to-json': (name) => `{"toJSON":"x","valueOf":1,"toString":2,"then":3,"name":"${name}","categoryId":1}`,
  id: (name) => `{"id":1,"name":"${name}","categoryId":1}`,
  'id-beyond': (name) => `{"id":1e999,"name":"${name}","categoryId":1}`,
  'id-string': (name) => `{"id":"../1","name":"${name}","categoryId":1}`,
  'escaped-member-names': (name) => String.raw`{"\u006eame":"${name}","c\u0061tegoryId":1}`,
  spaces: (name) => `\r\n\t { "name" :\t"${name}" ,\r\n"categoryId": 1 } \n`,
  'deep-arrays': () => '['.repeat(500_000) + ']'.repeat(500_000),
  'deep-arrays-open': () => '['.repeat(1_000_000),
  'deep-objects': () => `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`,
  'deep-name': () => `{"categoryId":1,"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
  'deep-around-large-number': () => `${'['.repeat(200_000)}9007199254740993${']'.repeat(200_000)}`,
  'deep-member': (name) => `{"name":"${name}","categoryId":1,"x":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
  'deep-member-and-large-number': (name) =>
    `{"name":"${name}","categoryId":9007199254740993,"x":${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)}}`,
  'deep-proto': (name) =>
    `{"name":"${name}","categoryId":1,"x":${'{"__proto__":'.repeat(60_000)}1${'}'.repeat(60_000)}}`,
  'wide-object': (name) =>
    `{"name":"${name}","categoryId":1,${Array.from({ length: 80_000 }, (_, n) => `"m${n}":1`).join()}}`,
  'wide-array': (name) => `{"name":"${name}","categoryId":1,"x":[${'0,'.repeat(400_000)}0]}`,
  'wide-large-numbers': (name) => `{"name":"${name}","categoryId":1,"x":[${'9007199254740993,'.repeat(50_000)}0]}`,
  'many-duplicates': (name) => `{${'"x":1,'.repeat(150_000)}"name":"${name}","categoryId":1}`,
  'colliding-numbers': (name) =>
    `{${Array.from({ length: 50_000 }, (_, n) => `"${n * 65_536}":1`).join()},"name":"${name}","categoryId":1}`,
}

/** Members that come twice: a server may take one of them, or refuse. */
const duplicates: Record<string, (name: string) => readonly [body: string, first: ReadPet, last: ReadPet]> = {
  names: (name) => [
    `{"name":"${name}","name":"${name} again","categoryId":1}`,
    { name, categoryId: 1n, status: undefined },
    { name: `${name} again`, categoryId: 1n, status: undefined },
  ],
  categories: (name) => [
    `{"name":"${name}","categoryId":1,"categoryId":9007199254740993}`,
    { name, categoryId: 1n, status: undefined },
    { name, categoryId: 9007199254740993n, status: undefined },
  ],
  'escaped-names': (name) => [
    String.raw`{"name":"${name}","categoryId":1,"n\u0061me":"${name} again"}`,
    { name, categoryId: 1n, status: undefined },
    { name: `${name} again`, categoryId: 1n, status: undefined },
  ],
}

function inName(name: string, bytes: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from(`{"name":"${name}`), Buffer.from(bytes), Buffer.from('","categoryId":1}')])
}

/** A body with so many bytes. */
function padded(name: string, size: number): string {
  const body = JSON.stringify({ name, categoryId: 1 })
  return body + ' '.repeat(size - body.length)
}

/** Changes a few bytes. */
export function mutated(chance: Chance, bytes: Buffer, times: number): Buffer {
  let changed = Buffer.from(bytes)
  for (let time = 0; time < times; time += 1) {
    const at = chance.below(changed.length + 1)
    const before = changed.subarray(0, at)
    const behind = changed.subarray(at)
    const kind = chance.below(5)
    if (kind === 0) changed = Buffer.concat([before, chance.bytes(1), behind.subarray(1)])
    else if (kind === 1) changed = Buffer.concat([before, behind.subarray(chance.between(1, 4))])
    else if (kind === 2) changed = Buffer.concat([before, chance.bytes(chance.between(1, 3)), behind])
    else if (kind === 3)
      changed = Buffer.concat([before, Buffer.from(chance.pick([...'\0\r\n\t "{}[],:\\09eE.-+'])), behind])
    else changed = Buffer.concat([before, changed.subarray(at, at + chance.between(1, 20)), behind])
  }
  return changed
}

export const bodyCases: FuzzCase[] = [
  ...Object.entries(bodies).map(([name, make]): FuzzCase => ({
    id: `body/${name}`,
    make: (context) => post(context, make(context.petName())),
  })),
  ...Object.entries(numbers).map(([name, [text, value]]): FuzzCase => ({
    id: `number/${name}`,
    make(context) {
      const pet = context.petName()
      const reply = value === undefined ? isError(400) : creates({ name: pet, categoryId: value, status: undefined })
      return post(context, `{"name":"${pet}","categoryId":${text}}`, reply)
    },
  })),
  ...Object.entries(numbers).map(([name, [text]]): FuzzCase => ({
    id: `number-elsewhere/${name}`,
    make(context) {
      const pet = context.petName()
      return post(
        context,
        `{"other":${text},"name":"${pet}","categoryId":1}`,
        creates({ name: pet, categoryId: 1n, status: undefined }),
      )
    },
  })),
  ...Object.entries(notJson).map(([name, text]): FuzzCase => ({
    id: `not-json/${name}`,
    make: (context) => post(context, `{"name":"${context.petName()}","categoryId":${text}}`, isError(400)),
  })),
  ...Object.entries(names).map(([name, text]): FuzzCase => ({
    id: `name/${name}`,
    make: (context) => post(context, `{"name":"${text}","categoryId":2,"status":"pending"}`),
  })),
  ...Object.entries(halfNames).map(([name, text]): FuzzCase => ({
    id: `name/half-${name}`,
    make(context) {
      const body = `{"name":"${text}","categoryId":2}`
      return post(context, body, { ...replyTo(body), statuses: [201, 400] })
    },
  })),
  ...Object.entries(duplicates).map(([name, make]): FuzzCase => ({
    id: `duplicate/${name}`,
    make(context) {
      const [body, first, last] = make(context.petName())
      return post(context, body, {
        method: 'POST',
        statuses: [201, 400],
        body: (text) => faultOfCreated(text, first) && faultOfCreated(text, last),
      })
    },
  })),
  {
    id: 'body/byte-order-mark',
    make(context) {
      const pet = context.petName()
      const body = `\ufeff{"name":"${pet}","categoryId":1}`
      return post(context, body, creates({ name: pet, categoryId: 1n, status: undefined }, 400))
    },
  },
  {
    id: 'body/any-json',
    make: (context) => post(context, anyJson(context.chance, 60)),
  },
  {
    id: 'body/pet-with-any-json',
    make: (context) =>
      post(
        context,
        `{"name":"${context.petName()}","categoryId":${context.chance.below(9)},"x":${anyJson(context.chance, 60)}}`,
      ),
  },
  ...Array.from({ length: 5 }, (_, index): FuzzCase => ({
    id: `body/mutated-${index + 1}`,
    make(context) {
      const body = Buffer.from(`{"name":"${context.petName()}","categoryId":9007199254740993,"status":"sold"}`)
      const changed = mutated(context.chance, body, context.chance.between(1, 4))
      // Two equal members may have come about.
      const reply = replyTo(changed)
      return post(context, changed, reply.statuses.includes(201) ? { ...reply, statuses: [201, 400] } : reply)
    },
  })),
  {
    id: 'body/1-mebibyte',
    make: (context) => post(context, padded(context.petName(), bodyLimit)),
  },
  {
    id: 'body/1-mebibyte-and-a-byte',
    make: (context) =>
      answeredOrEnded(context, toCreation(context, padded(context.petName(), bodyLimit + 1)), isError(413)),
  },
  {
    id: 'body/4-mebibytes',
    make: (context) =>
      answeredOrEnded(context, toCreation(context, padded(context.petName(), 4 * bodyLimit)), isError(413)),
  },
  {
    id: 'body/too-large-without-key',
    make: (context) =>
      answeredOrEnded(
        context,
        toCreation(context, padded(context.petName(), bodyLimit + 1), { authorization: undefined }),
        isError(401, 413),
      ),
  },
  {
    id: 'body/of-a-get',
    make(context) {
      const request = toRequest(context, {
        method: 'GET',
        target: `${petsPath}/1`,
        body: '{"name":"x","categoryId":1}',
      })
      return answered(context, [request], [isError(200, 400)])
    },
  },
  {
    id: 'body/of-a-delete',
    make(context) {
      const request = toRequest(context, { method: 'DELETE', target: `${petsPath}/1`, body: 'x'.repeat(100_000) })
      return answered(context, [request], [isError(405)])
    },
  },
]
