import { toVariants, type ConformingVariant } from './conforming-variant.ts'

const requests = { perSecond: 40, of: 'requests' } as const
const creations = { perSecond: 10, of: 'creations' } as const
/** New pets become visible after a second on each replica. */
const lag = { ms: 1000, lists: true, fetches: true, replicas: 'all' } as const
const soon = { settleMs: 4000 }

/** Variants behind a gateway, with replicas, in a slow network, or with other clients at the same time. */
export const weatherVariants: ConformingVariant[] = [
  ...toVariants('"Rate limits: not shown."', [
    [
      'rate-limit-seconds',
      { rateLimit: { ...requests, retryAfter: 'seconds', speaker: 'service' } },
    ],
    ['rate-limit-date', { rateLimit: { ...requests, retryAfter: 'date', speaker: 'service' } }],
    ['rate-limit-silent', { rateLimit: { ...requests, retryAfter: 'absent', speaker: 'service' } }],
    [
      'rate-limit-gateway',
      { rateLimit: { ...requests, retryAfter: 'seconds', speaker: 'gateway' } },
    ],
    [
      'rate-limit-gateway-silent',
      { rateLimit: { ...requests, retryAfter: 'absent', speaker: 'gateway' } },
    ],
    [
      'rate-limit-connections',
      { rateLimit: { perSecond: 10, of: 'requests', retryAfter: 'absent', speaker: 'connection' } },
    ],
    [
      'rate-limit-403',
      { rateLimit: { ...requests, retryAfter: 'seconds', speaker: 'service', status: 403 } },
    ],
    [
      'rate-limit-403-counted',
      { rateLimit: { ...requests, retryAfter: 'counted', speaker: 'service', status: 403 } },
    ],
    [
      'rate-limit-creations',
      { rateLimit: { ...creations, retryAfter: 'seconds', speaker: 'service' } },
    ],
    [
      'rate-limit-creations-gateway',
      { rateLimit: { ...creations, retryAfter: 'date', speaker: 'gateway' } },
    ],
  ]),
  ...toVariants('effects of gateways and networks are not responses of the service', [
    [
      'gateway-503',
      { outage: { every: 9, of: 'requests', status: 503, page: 'json' } },
      { doubt: 'Its JSON looks like a response of the service, but is not an Error body.' },
    ],
    [
      'gateway-503-smoke',
      { outage: { every: 9, of: 'requests', status: 503, page: 'html' } },
      { depth: 'smoke' },
    ],
    ['gateway-504', { outage: { every: 9, of: 'requests', status: 504, page: 'text' } }],
    ...([421, 425, 502, 520, 522, 524, 530] as const).map(
      (status) =>
        [
          `gateway-${status}`,
          { outage: { every: 9, of: 'requests', status, page: 'html' } },
        ] as const,
    ),
    ['gateway-503-creations', { outage: { every: 7, of: 'creations', status: 503, page: 'html' } }],
    ['gateway-502-creations', { outage: { every: 2, of: 'creations', status: 502, page: 'html' } }],
    [
      'gateway-503-retry-after',
      { outage: { every: 29, of: 'requests', status: 503, page: 'text', retryAfter: 1 } },
    ],
    ['firewall', { firewall: true }],
    ['resets', { resetEvery: 11 }],
    ['cold-start-503', { coldStart: { rejections: 3, firstResponseMs: 0 } }],
    ['cold-start-slow', { coldStart: { rejections: 0, firstResponseMs: 1500 } }],
    ['latency-200-ms', { latencyMs: [200, 200] }],
    ['latency-jitter', { latencyMs: [0, 60] }],
  ]),
  ...toVariants('the delay until a new pet is visible is not specified', [
    ['lag-lists-smoke', { lag, pets: 5, latencyMs: [5, 15] }, { ...soon, depth: 'smoke' }],
    [
      'lag-lists-long-smoke',
      { lag: { ...lag, ms: 9000, fetches: false }, pets: 60 },
      { depth: 'smoke', expectInconclusive: true },
    ],
    ['lag-lists', { lag: { ...lag, fetches: false } }, soon],
    ['lag-fetches', { lag: { ...lag, lists: false } }, soon],
    ['lag-all-reads', { lag, order: 'newest' }, soon],
    ['lag-small-store', { lag, pets: 3 }, soon],
    ...([7, 13] as const).map(
      (every) =>
        [
          `lag-behind-gateway-${every}`,
          { lag, outage: { every, of: 'requests', status: 502, page: 'html' }, order: 'newest' },
          soon,
        ] as const,
    ),
    ['lag-one-replica', { lag: { ...lag, replicas: 'every-other' }, pets: 30 }, soon],
  ]),
  ...toVariants(
    'the delay until a new pet is visible is not specified; clients cannot expect seconds',
    [
      ['lag-beyond-the-window', { lag: { ...lag, ms: 6000 } }],
      ['lag-beyond-the-window-lists', { lag: { ...lag, ms: 6000, fetches: false }, pets: 3 }],
      [
        'lag-beyond-the-window-filter',
        { lag: { ...lag, ms: 12_000, lists: 'filtered', fetches: false }, pets: 5 },
        { settleMs: 5000 },
      ],
      [
        'lag-lists-a-minute',
        { lag: { ...lag, ms: 58_000, fetches: false }, pets: 5 },
        { settleMs: 5000 },
      ],
      [
        'lag-filter-import',
        {
          lag: { ...lag, ms: 20_000, lists: 'filtered', fetches: false },
          writerEveryMs: 20,
          latencyMs: [30, 60],
          pets: 3,
        },
        { settleMs: 5000 },
      ],
      [
        'lag-in-steps',
        { lag: { ...lag, ms: 8000, fetches: false, inSteps: true }, pets: 30 },
        { settleMs: 5000, depth: 'thorough' },
      ],
      [
        'changes-listed-late',
        { changesListedAfterMs: 12_000, changeEveryMs: 300, latencyMs: [30, 60], pets: 40 },
        { settleMs: 5000 },
      ],
      ...(
        ['max-age-of-fields', 'stale-while-revalidate', 'cdn-max-age', 'expires', 'hit'] as const
      ).map(
        (cacheSays) =>
          [`cache-60-s-${cacheSays}`, { cacheSeconds: 60, pets: 40, cacheSays }] as const,
      ),
      ['cache-2-s', { cacheSeconds: 2 }],
      ['cache-60-s', { cacheSeconds: 60, pets: 40 }],
      [
        'cache-60-s-silent',
        { cacheSeconds: 60, pets: 40, cacheSays: 'nothing' },
        { settleMs: 5000 },
      ],
      ['cache-60-s-empty-store', { cacheSeconds: 60, pets: 0 }],
      ['cache-60-s-admin-changes-status', { cacheSeconds: 60, pets: 300, changeEveryMs: 20 }],
      ['cache-60-s-writers', { cacheSeconds: 60, pets: 30, writerEveryMs: 100 }],
    ],
  ),
  ...toVariants('"Transitions: not shown." Orders are mentioned, and may change a status', [
    ['orders-each-second', { orderEveryMs: 1000 }],
    ['orders-250-ms', { orderEveryMs: 250, pets: 40 }],
    ['orders-and-admin-change-status', { orderEveryMs: 300, changeEveryMs: 60, pets: 40 }],
    [
      'orders-listed-late',
      {
        orderEveryMs: 300,
        changeEveryMs: 300,
        changesListedAfterMs: 1500,
        latencyMs: [5, 10],
        pets: 40,
      },
      { settleMs: 5000 },
    ],
    [
      'orders-listed-later',
      { orderEveryMs: 500, changesListedAfterMs: 7000, latencyMs: [20, 40], pets: 2 },
    ],
    ['orders-sell-soon', { soldAfterMs: 600, defaultStatus: 'absent', latencyMs: [40, 120] }],
    ['orders-while-lagging', { orderEveryMs: 1000, lag, latencyMs: [0, 10], seed: 144 }, soon],
    ['orders-sell-while-lagging', { soldAfterMs: 600, lag, latencyMs: [0, 10] }, soon],
    ['orders-default-pending', { orderEveryMs: 100, defaultStatus: 'pending', pets: 5 }],
  ]),
  ...toVariants('exclusive use of the catalog is not specified', [
    ...(
      [
        ['all', 100],
        ['newest', 250],
        ['all', 900],
        ['newest', 1300],
        ['all', 1900],
        // Between two creations with one name.
        ['newest', 2100],
        ['all', 2100],
        ['all', 2200],
      ] as const
    ).map(
      ([which, afterMs]) =>
        [
          `${which}-gone-after-${afterMs}-ms`,
          { removed: { which, afterMs }, pets: 40, latencyMs: [20, 60] },
        ] as const,
    ),
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
      { doubt: 'No operation removes a pet, and removal by other means is not specified.' },
    ],
  ]),
]
