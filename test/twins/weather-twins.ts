import { toTwins, type LawfulTwin } from './lawful-twin.ts'

/** Twins that stand behind a gateway, a replica or a slow network, or are used by others at the same time. */
export const weatherTwins: LawfulTwin[] = [
  ...toTwins('"Rate limits: not shown."', [
    [
      'rate-limit-seconds',
      'After 40 requests in a second come 429 and Retry-After in seconds',
      { rateLimit: { perSecond: 40, of: 'requests', retryAfter: 'seconds', speaker: 'service' } },
    ],
    [
      'rate-limit-date',
      'After 40 requests in a second come 429 and Retry-After as a date',
      { rateLimit: { perSecond: 40, of: 'requests', retryAfter: 'date', speaker: 'service' } },
    ],
    [
      'rate-limit-silent',
      'After 40 requests in a second comes 429 without Retry-After',
      { rateLimit: { perSecond: 40, of: 'requests', retryAfter: 'absent', speaker: 'service' } },
    ],
    [
      'rate-limit-gateway',
      'After 40 requests in a second the gateway answers 429 in plain text',
      { rateLimit: { perSecond: 40, of: 'requests', retryAfter: 'seconds', speaker: 'gateway' } },
    ],
    [
      'rate-limit-gateway-silent',
      'After 40 requests in a second the gateway answers 429 and says nothing more',
      { rateLimit: { perSecond: 40, of: 'requests', retryAfter: 'absent', speaker: 'gateway' } },
    ],
    [
      'rate-limit-creations',
      'After ten creations in a second come 429 and Retry-After in seconds',
      { rateLimit: { perSecond: 10, of: 'creations', retryAfter: 'seconds', speaker: 'service' } },
    ],
    [
      'rate-limit-creations-gateway',
      'After ten creations in a second the gateway answers 429 and Retry-After as a date',
      { rateLimit: { perSecond: 10, of: 'creations', retryAfter: 'date', speaker: 'gateway' } },
    ],
  ]),
  ...toTwins('what a gateway or a network does is none of the words of the service', [
    [
      'gateway-502',
      'Each ninth request gets a 502 page of the gateway',
      { outage: { every: 9, of: 'requests', status: 502, page: 'html' } },
    ],
    [
      'gateway-503',
      'Each ninth request gets 503 with JSON that is no Error body',
      { outage: { every: 9, of: 'requests', status: 503, page: 'json' } },
      { doubt: 'Its JSON looks like an answer of the service, and is no Error body.' },
    ],
    [
      'gateway-504',
      'Each ninth request gets a 504 in plain text',
      { outage: { every: 9, of: 'requests', status: 504, page: 'text' } },
    ],
    ...([520, 522, 524, 530] as const).map(
      (status) =>
        [
          `gateway-${status}`,
          `Each ninth request gets a ${status} page of a content network`,
          { outage: { every: 9, of: 'requests', status, page: 'html' } },
        ] as const,
    ),
    [
      'gateway-503-creations',
      'Each seventh creation gets a 503 page and does not reach the service',
      { outage: { every: 7, of: 'creations', status: 503, page: 'html' } },
    ],
    [
      'gateway-502-creations',
      'Each second creation gets a 502 page and does not reach the service',
      { outage: { every: 2, of: 'creations', status: 502, page: 'html' } },
    ],
    [
      'gateway-503-retry-after',
      'Each 29th request gets 503 and is told to come back in a second',
      { outage: { every: 29, of: 'requests', status: 503, page: 'text', retryAfter: 1 } },
    ],
    ['resets', 'Each eleventh request finds its connection reset before the service has seen it', { resetEvery: 11 }],
    ['cold-start-503', 'The first three requests get a 503 page', { coldStart: { refusals: 3, firstAnswerMs: 0 } }],
    [
      'cold-start-slow',
      'The first answer takes a second and a half',
      { coldStart: { refusals: 0, firstAnswerMs: 1500 } },
    ],
    ['latency-200-ms', 'Each answer takes 200 ms', { latencyMs: [200, 200] }],
    ['latency-jitter', 'Answers take up to 60 ms and overtake each other', { latencyMs: [0, 60] }],
  ]),
  ...toTwins('how soon a new pet is visible is not stated', [
    [
      'lag-lists',
      'Lists show a new pet after a second',
      { lag: { ms: 1000, lists: true, fetches: false, replicas: 'all' } },
      { settleMs: 4000 },
    ],
    [
      'lag-fetches',
      'getPet shows a new pet after a second',
      { lag: { ms: 1000, lists: false, fetches: true, replicas: 'all' } },
      { settleMs: 4000 },
    ],
    [
      'lag-all-reads',
      'All reads show a new pet after a second',
      { lag: { ms: 1000, lists: true, fetches: true, replicas: 'all' }, order: 'newest' },
      { settleMs: 4000 },
    ],
    [
      'lag-small-store',
      'All reads show a new pet after a second, in a store of three',
      { lag: { ms: 1000, lists: true, fetches: true, replicas: 'all' }, pets: 3 },
      { settleMs: 4000 },
    ],
    [
      'lag-one-replica',
      'Every other read comes from a replica that is a second behind',
      { lag: { ms: 1000, lists: true, fetches: true, replicas: 'every-other' }, pets: 30 },
      { settleMs: 4000 },
    ],
  ]),
  ...toTwins('nothing says that a client has the catalogue for itself', [
    ['writers-newest-first', 'Others add a pet every 15 ms, the newest first', { writerEveryMs: 15, order: 'newest' }],
    [
      'writers-random-order',
      'Others add a pet every 15 ms, and pages are shuffled',
      { writerEveryMs: 15, order: 'random' },
    ],
    [
      'writers-empty-store',
      'Others add a pet every 15 ms to an empty store, which passes 20 and 100 pets during a run',
      { writerEveryMs: 15, pets: 0 },
    ],
    [
      'writers-small-store-newest',
      'Others add a pet every 15 ms to two pets, the newest first',
      { writerEveryMs: 15, pets: 2, order: 'newest' },
    ],
    [
      'writers-slow',
      'Others add a pet every 50 ms to 15 pets, so that each count is passed slowly',
      { writerEveryMs: 50, pets: 15, order: 'random' },
    ],
    [
      'writers-random-ids',
      'Others add a pet every 15 ms, with a random id and sorted by it',
      { writerEveryMs: 15, ids: 'random', order: 'id-descending', pets: 10 },
    ],
    ['admin-changes-status', 'An administrator changes the status of an old pet every 20 ms', { changeEveryMs: 20 }],
    [
      'admin-changes-status-small-store',
      'An administrator changes the status of one of three old pets every 20 ms',
      { changeEveryMs: 20, pets: 3 },
    ],
    [
      'admin-removes',
      'An administrator removes one of 60 old pets every 100 ms',
      { removalEveryMs: 100, pets: 60 },
      { doubt: 'No operation removes a pet; that someone does so by other means is not said.' },
    ],
  ]),
]
