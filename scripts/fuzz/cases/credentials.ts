import { answeredOrEnded, isError, petsPath, showsPets, toRequest } from '../requests.ts'
import type { Context, FuzzCase } from '../scenario.ts'

/** Values of Authorization that let nobody in. */
const refusedValues: Record<string, (key: string, context: Context) => string> = {
  empty: () => '',
  'scheme-only': () => 'Bearer',
  'scheme-and-space': () => 'Bearer ',
  'key-only': (key) => key,
  'no-space': (key) => `Bearer${key}`,
  tab: (key) => `Bearer\t${key}`,
  'other-scheme': (key) => `Basic ${key}`,
  basic: (key) => `Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
  base64: (key) => `Bearer ${Buffer.from(key).toString('base64')}`,
  'scheme-twice': (key) => `Bearer Bearer ${key}`,
  'longer-scheme': (key) => `Bearers ${key}`,
  'key-cut': (key) => `Bearer ${key.slice(0, -1)}`,
  'key-lengthened': (key) => `Bearer ${key}0`,
  'key-twice': (key) => `Bearer ${key}${key}`,
  'key-upper-case': (key) => `Bearer ${key.toUpperCase()}`,
  'key-with-space-inside': (key) => `Bearer ${key.slice(0, 5)} ${key.slice(5)}`,
  'two-keys': (key) => `Bearer ${key}, Bearer ${key}`,
  quoted: (key) => `Bearer "${key}"`,
  escaped: (key) => `Bearer ${key.replaceAll('-', '%2D')}`,
  parameter: (key) => `Bearer token=${key}`,
  star: () => 'Bearer *',
  true: () => 'Bearer true',
  null: () => 'Bearer null',
  undefined: () => 'Bearer undefined',
  proto: () => 'Bearer __proto__',
  regex: () => 'Bearer .*',
  sql: () => "Bearer ' OR '1'='1",
  bytes: () => 'Bearer \xff\xfe',
  long: () => `Bearer ${'k'.repeat(12_000)}`,
  random: (_, { chance }) => `Bearer ${chance.letters(chance.between(1, 60))}`,
  'one-letter-other': (key, { chance }) => {
    const at = chance.below(key.length)
    return `Bearer ${key.slice(0, at)}~${key.slice(at + 1)}`
  },
}

const keyElsewhere: Record<string, (key: string) => readonly [name: string, value: string]> = {
  'proxy-authorization': (key) => ['Proxy-Authorization', `Bearer ${key}`],
  'x-api-key': (key) => ['X-Api-Key', key],
  cookie: (key) => ['Cookie', `Authorization=Bearer ${key}; api_key=${key}`],
  underscore: (key) => ['Authorization_', `Bearer ${key}`],
}

/** What becomes of the key of a sandbox on its way. */
const brokenSandboxKeys: Record<string, (key: string) => string> = {
  cut: (key) => key.slice(0, -1),
  lengthened: (key) => `${key}0`,
  'upper-case': (key) => key.toUpperCase(),
  'other-name': (key) => key.replace('fuzz', 'buzz'),
  'other-checksum': (key) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0'),
  'no-checksum': (key) => key.slice(0, -9),
  twice: (key) => `${key} ${key}`,
  quoted: (key) => `"${key}"`,
  'empty-name': (key) => key.replace('fuzz', ''),
  dots: (key) => key.replace('fuzz', '../fuzz'),
  proto: (key) => key.replace('fuzz', '__proto__'),
  'long-name': (key) => key.replace('fuzz', 'f'.repeat(8_000)),
}

export const credentials: FuzzCase[] = [
  ...Object.entries(brokenSandboxKeys).map(([name, broken]): FuzzCase => ({
    id: `sandbox-key/${name}`,
    make: (context) =>
      answeredOrEnded(
        context,
        toRequest(context, { authorization: `Bearer ${broken(context.sandboxKey)}` }),
        isError(401),
      ),
  })),
  {
    id: 'sandbox-key/whole',
    make: (context) =>
      answeredOrEnded(context, toRequest(context, { authorization: `Bearer ${context.sandboxKey}` }), isError(200)),
  },
  ...Object.entries(refusedValues).map(([name, value]): FuzzCase => ({
    id: `credentials/${name}`,
    make: (context) =>
      answeredOrEnded(context, toRequest(context, { authorization: value(context.key, context) }), isError(401)),
  })),
  ...Object.entries(keyElsewhere).map(([name, header]): FuzzCase => ({
    id: `credentials/${name}`,
    make: (context) =>
      answeredOrEnded(
        context,
        toRequest(context, { authorization: undefined, headers: [header(context.key)] }),
        isError(401),
      ),
  })),
  {
    id: 'credentials/in-query',
    make: (context) =>
      answeredOrEnded(
        context,
        toRequest(context, {
          authorization: undefined,
          target: `${petsPath}?access_token=${context.key}&api_key=${context.key}&Authorization=Bearer%20${context.key}`,
        }),
        isError(401),
      ),
  },
  {
    id: 'credentials/two-headers',
    make: (context) =>
      answeredOrEnded(
        context,
        toRequest(context, {
          headers: [['authorization', context.chance.pick(['Bearer x', `Bearer ${context.key}`])]],
        }),
        isError(400, 401),
      ),
  },
  {
    id: 'credentials/folded',
    make: (context) =>
      answeredOrEnded(context, toRequest(context, { authorization: `Bearer\r\n ${context.key}` }), {
        ...showsPets(context, 20),
        statuses: [200, 400, 401],
      }),
  },
  {
    id: 'credentials/spaces-around',
    make: (context) =>
      answeredOrEnded(context, toRequest(context, { authorization: `Bearer   ${context.key}  \t` }), {
        ...showsPets(context, 20),
        statuses: [200, 401],
      }),
  },
  {
    // Whatever else is wrong: without a key nobody learns more, and nothing is stored.
    id: 'credentials/none-with-bad-body',
    make: (context) =>
      answeredOrEnded(
        context,
        toRequest(context, {
          authorization: undefined,
          body: context.chance.pick(['', '{', '{"name":1}', '{"name":"x","categoryId":1}', '\xff', '['.repeat(50_000)]),
        }),
        isError(401),
      ),
  },
]
