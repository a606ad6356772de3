import { clockRoutes } from './api-clock.ts'
import { explainRoutes } from './api-explain.ts'
import { journalRoutes } from './api-journal.ts'
import { petRoutes } from './api-pets.ts'
import { rootRoutes } from './api-root.ts'
import { prefix, type Route } from './api-route.ts'
import { ruleRoutes } from './api-rules.ts'
import { sandboxRoutes } from './api-sandboxes.ts'
import { scorecardRoutes } from './api-scorecard.ts'
import { settingsRoutes } from './api-settings.ts'
import { snapshotRoutes } from './api-snapshots.ts'

/** What there is in each world. */
const worldRoutes: readonly Route[] = [
  ...settingsRoutes,
  ...petRoutes,
  ...snapshotRoutes,
  ...ruleRoutes,
  ...clockRoutes,
  ...journalRoutes,
  ...scorecardRoutes,
]

/** All operations of the control API: the router, the OpenAPI document and the index are made from this table. */
export const routes: readonly Route[] = [
  ...[...rootRoutes, ...explainRoutes, ...worldRoutes, ...sandboxRoutes].map((route) => below(prefix, route)),
  ...worldRoutes.map((route) => below(`${prefix}/sandboxes/{sandbox}`, { ...route, id: `${route.id}InSandbox` })),
]

function below(base: string, route: Route): Route {
  return { ...route, path: `${base}${route.path}` }
}
