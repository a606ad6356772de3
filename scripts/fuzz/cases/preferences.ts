import { answeredOrEnded, isError, petsPath, showsPets, toCreation, toRequest, ordinaryBody } from '../requests.ts'
import type { Context, Expected, FuzzCase } from '../scenario.ts'

/** A page, or a refusal of the header. */
const pageOr = (context: Context, ...statuses: number[]): Expected => ({
  ...showsPets(context, 3),
  statuses: [200, ...statuses],
})

/** Values of `Prefer` that are another's affair, or wrong. */
const odd: Record<string, string> = {
  empty: '',
  others: 'respond-async, wait=10, handling=lenient, return=minimal',
  'code-zero': 'code=000',
  'code-99': 'code=99',
  'code-100': 'code=100',
  'code-204': 'code=204',
  'code-302': 'code=302',
  'code-600': 'code=600',
  'code-word': 'code=__proto__',
  'code-fraction': 'code=503.5',
  'code-exponent': 'code=4e2',
  'code-empty': 'code=',
  'delay-huge': 'delay=1e308',
  'delay-beyond': `delay=${'9'.repeat(400)}`,
  'delay-minus': 'delay=-1',
  'delay-nan': 'delay=NaN',
  'fault-unknown': 'fault=explode',
  'fault-proto': 'fault=__proto__',
  'fault-constructor': 'fault=constructor',
  bytes: 'code=\xff\xfe',
  commas: ','.repeat(5_000),
  semicolons: ';'.repeat(5_000),
  equals: '='.repeat(5_000),
  many: Array.from({ length: 1_000 }, (_, n) => `a${n}=b`).join(),
}

/** Values that would take long to read if their quotes were tried in all ways. */
const long: Record<string, string> = {
  quotes: '"'.repeat(14_999),
  'quotes-and-backslashes': '"\\'.repeat(7_000),
  'backslashes-and-quotes': '\\"'.repeat(7_000),
  'unclosed-pairs': 'a="b,'.repeat(2_800),
  spaces: `code=${' '.repeat(14_000)}x`,
}

export const preferences: FuzzCase[] = [
  ...Object.entries(odd).map(([name, value]): FuzzCase => ({
    id: `prefer/${name}`,
    make: (context) =>
      answeredOrEnded(
        context,
        toRequest(context, { target: `${petsPath}?limit=3`, headers: [['Prefer', value]] }),
        pageOr(context, 400),
      ),
  })),
  ...Object.entries(long).map(([name, value]): FuzzCase => ({
    id: `prefer/${name}-20-times`,
    make(context) {
      const request = toRequest(context, { target: `${petsPath}?limit=3`, headers: [['Prefer', value]] })
      const requests = Array.from({ length: 20 }, () => request)
      const scenario = answeredOrEnded(context, Buffer.concat(requests), ...requests.map(() => pageOr(context, 400)))
      return { ...scenario, limitMs: 4_000 }
    },
  })),
  ...[400, 401, 404, 409, 429, 500, 503, 599].map((status): FuzzCase => ({
    id: `prefer/code-${status}`,
    make: (context) =>
      answeredOrEnded(context, toRequest(context, { headers: [['Prefer', `code=${status}`]] }), isError(status)),
  })),
  {
    // What was asked to fail leaves no pet behind.
    id: 'prefer/creation-refused',
    make: (context) =>
      answeredOrEnded(
        context,
        toCreation(context, ordinaryBody(`refused ${context.petName()}`), { headers: [['Prefer', 'code=503']] }),
        isError(503),
      ),
  },
  {
    id: 'prefer/code-without-key',
    make: (context) =>
      answeredOrEnded(
        context,
        toRequest(context, { authorization: undefined, headers: [['Prefer', 'code=503, delay=60']] }),
        isError(401),
      ),
  },
]
