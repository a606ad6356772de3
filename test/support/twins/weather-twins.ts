import { toTwins, type LawfulTwin } from './lawful-twin.ts'

/** Twins that stand behind a gateway, a replica or a slow network, or are used by others at the same time. */
export const weatherTwins: LawfulTwin[] = [
  ...toTwins('"Rate limits: not shown."', [
    ['rate-limit-seconds', { rateLimit: { perSecond: 40, of: 'requests', retryAfter: 'seconds', speaker: 'service' } }],
    ['rate-limit-date', { rateLimit: { perSecond: 40, of: 'requests', retryAfter: 'date', speaker: 'service' } }],
    ['rate-limit-silent', { rateLimit: { perSecond: 40, of: 'requests', retryAfter: 'absent', speaker: 'service' } }],
    ['rate-limit-gateway', { rateLimit: { perSecond: 40, of: 'requests', retryAfter: 'seconds', speaker: 'gateway' } }],
    [
      'rate-limit-gateway-silent',
      { rateLimit: { perSecond: 40, of: 'requests', retryAfter: 'absent', speaker: 'gateway' } },
    ],
    [
      'rate-limit-403',
      { rateLimit: { perSecond: 40, of: 'requests', retryAfter: 'seconds', speaker: 'service', status: 403 } },
    ],
    [
      'rate-limit-creations',
      { rateLimit: { perSecond: 10, of: 'creations', retryAfter: 'seconds', speaker: 'service' } },
    ],
    [
      'rate-limit-creations-gateway',
      { rateLimit: { perSecond: 10, of: 'creations', retryAfter: 'date', speaker: 'gateway' } },
    ],
  ]),
  ...toTwins('what a gateway or a network does is none of the words of the service', [
    ['gateway-502', { outage: { every: 9, of: 'requests', status: 502, page: 'html' } }],
    [
      'gateway-503',
      { outage: { every: 9, of: 'requests', status: 503, page: 'json' } },
      { doubt: 'Its JSON looks like an answer of the service, and is no Error body.' },
    ],
    ['gateway-504', { outage: { every: 9, of: 'requests', status: 504, page: 'text' } }],
    ...([520, 522, 524, 530] as const).map(
      (status) => [`gateway-${status}`, { outage: { every: 9, of: 'requests', status, page: 'html' } }] as const,
    ),
    ['gateway-503-creations', { outage: { every: 7, of: 'creations', status: 503, page: 'html' } }],
    ['gateway-502-creations', { outage: { every: 2, of: 'creations', status: 502, page: 'html' } }],
    ['gateway-503-retry-after', { outage: { every: 29, of: 'requests', status: 503, page: 'text', retryAfter: 1 } }],
    ['resets', { resetEvery: 11 }],
    ['cold-start-503', { coldStart: { refusals: 3, firstAnswerMs: 0 } }],
    ['cold-start-slow', { coldStart: { refusals: 0, firstAnswerMs: 1500 } }],
    ['latency-200-ms', { latencyMs: [200, 200] }],
    ['latency-jitter', { latencyMs: [0, 60] }],
  ]),
  ...toTwins('how soon a new pet is visible is not stated', [
    ['lag-lists', { lag: { ms: 1000, lists: true, fetches: false, replicas: 'all' } }, { settleMs: 4000 }],
    ['lag-fetches', { lag: { ms: 1000, lists: false, fetches: true, replicas: 'all' } }, { settleMs: 4000 }],
    [
      'lag-all-reads',
      { lag: { ms: 1000, lists: true, fetches: true, replicas: 'all' }, order: 'newest' },
      { settleMs: 4000 },
    ],
    [
      'lag-small-store',
      { lag: { ms: 1000, lists: true, fetches: true, replicas: 'all' }, pets: 3 },
      { settleMs: 4000 },
    ],
    [
      'lag-one-replica',
      { lag: { ms: 1000, lists: true, fetches: true, replicas: 'every-other' }, pets: 30 },
      { settleMs: 4000 },
    ],
  ]),
  ...toTwins('how soon a new pet is visible is not stated, and a client may not expect it within seconds', [
    ['lag-beyond-the-window', { lag: { ms: 6000, lists: true, fetches: true, replicas: 'all' } }],
    ['lag-beyond-the-window-lists', { lag: { ms: 6000, lists: true, fetches: false, replicas: 'all' }, pets: 3 }],
    [
      'lag-beyond-the-window-filter',
      { lag: { ms: 12_000, lists: 'filtered', fetches: false, replicas: 'all' }, pets: 5 },
      { settleMs: 5000 },
    ],
    [
      'changes-listed-late',
      { changesListedAfterMs: 12_000, changeEveryMs: 300, latencyMs: [30, 60], pets: 40 },
      { settleMs: 5000 },
    ],
    ...(['max-age-of-fields', 'stale-while-revalidate', 'cdn-max-age', 'expires', 'hit'] as const).map(
      (cacheSays) => [`cache-60-s-${cacheSays}`, { cacheSeconds: 60, pets: 40, cacheSays }] as const,
    ),
    ['cache-2-s', { cacheSeconds: 2 }],
    ['cache-60-s', { cacheSeconds: 60, pets: 40 }],
    ['cache-60-s-empty-store', { cacheSeconds: 60, pets: 0 }],
    ['cache-60-s-admin-changes-status', { cacheSeconds: 60, pets: 300, changeEveryMs: 20 }],
    ['cache-60-s-writers', { cacheSeconds: 60, pets: 30, writerEveryMs: 100 }],
  ]),
  ...toTwins('"Transitions: not shown." Orders are mentioned, which may change a status', [
    ['orders-each-second', { orderEveryMs: 1000 }],
    ['orders-250-ms', { orderEveryMs: 250, pets: 40 }],
    ['orders-and-admin-change-status', { orderEveryMs: 300, changeEveryMs: 60, pets: 40 }],
    ['orders-default-pending', { orderEveryMs: 100, defaultStatus: 'pending', pets: 5 }],
  ]),
  ...toTwins('nothing says that a client has the catalogue for itself', [
    ['admin-renames', { renameEveryMs: 50, pets: 40 }],
    ['admin-renames-few', { renameEveryMs: 80, pets: 3 }],
    ['writers-newest-first', { writerEveryMs: 15, order: 'newest' }],
    ['writers-random-order', { writerEveryMs: 15, order: 'random' }],
    ['writers-empty-store', { writerEveryMs: 15, pets: 0 }],
    ['writers-small-store-newest', { writerEveryMs: 15, pets: 2, order: 'newest' }],
    ['writers-slow', { writerEveryMs: 50, pets: 15, order: 'random' }],
    ['writers-random-ids', { writerEveryMs: 15, ids: 'random', order: 'id-descending', pets: 10 }],
    ['admin-changes-status', { changeEveryMs: 20 }],
    ['admin-changes-status-small-store', { changeEveryMs: 20, pets: 3 }],
    [
      'admin-removes',
      { removalEveryMs: 100, pets: 60 },
      { doubt: 'No operation removes a pet; that someone does so by other means is not said.' },
    ],
  ]),
]
