import { formatNames } from '../../../report/formats.ts'
import type { MockReply } from '../../service/message.ts'
import {
  type ControlCall,
  empty,
  json,
  problem,
  report,
  reportTypes,
  response,
  type ControlRoute,
  route,
} from './route.ts'

const noRun = response('No run has this id.', 'Error')
const noReport = response('The run has no report yet.', 'Error')

export const runRoutes: readonly ControlRoute[] = [
  route('GET /runs', 'listRuns', 'List the runs of the contract suite', {
    description: 'The latest 20, the oldest first, and what the suite may run against.',
    responses: {
      200: response('The runs.', 'Runs'),
      501: response('The mock was started without the suite.', 'Error'),
    },
    handle: (call) =>
      withSuite(call, async ({ runs, suite }) => {
        return json(200, {
          runs: runs.list(call.sandbox),
          targets: ['mock', ...(await (await suite()).deployments())],
        })
      }),
  }),
  route('POST /runs', 'startRun', 'Run the contract suite', {
    description:
      'Against this mock: in a new sandbox with the settings, the clock and up to 10,000 pets of this one, without its ' +
      'rules, which is deleted at the end. Or against a deployment of petstore.config.json, where the mock was started ' +
      'with `--console-runs`. One run at a time; the event `run` follows it.',
    body: { schema: 'NewRun', example: {} },
    responses: {
      202: response('The run has started.', 'Run'),
      403: response('The suite may not run against this deployment.', 'Error'),
      409: response('Another run is under way, or sandboxes are off.', 'Error'),
      501: response('The mock was started without the suite.', 'Error'),
    },
    handle: (call) =>
      withSuite(call, async ({ runs, suite }) => {
        const { deployment } = call.body
        if (
          deployment !== undefined &&
          !(await (await suite()).deployments()).includes(deployment)
        ) {
          const hint =
            'Runs against deployments need `petstore mock --console-runs`, and a name of petstore.config.json.'
          return problem(
            403,
            `The suite may not run against ${JSON.stringify(deployment)}. ${hint}`,
          )
        }
        if (deployment === undefined && !call.api.mock.settings.sandboxes) {
          return problem(
            409,
            'A run against the mock needs a sandbox, and the mock was started without sandboxes.',
          )
        }
        const { current } = runs
        if (current !== undefined)
          return problem(409, `The run ${current.id} is in progress. Wait for it, or cancel it.`)
        return json(202, runs.start(call.sandbox, call.body))
      }),
  }),
  route('GET /runs/{id}', 'readRun', 'Read the state of a run', {
    responses: { 200: response('The run.', 'Run'), 404: noRun },
    handle: (call) => withRun(call, ({ run }) => json(200, run)),
  }),
  route('DELETE /runs/{id}', 'deleteRun', 'Cancel a run, or delete one that has ended', {
    description: 'A cancelled run still reports what it has verified.',
    responses: { 204: response('The run is cancelled or deleted.'), 404: noRun },
    handle: (call) =>
      withRun(call, (kept, { runs }) => {
        runs.remove(kept)
        return empty()
      }),
  }),
  route('GET /runs/{id}/report', 'readRunReport', 'Read the report of a run', {
    query: 'ReportQuery',
    responses: {
      200: {
        description: 'The report.',
        schema: 'Report',
        types: reportTypes(formatNames),
      },
      404: noRun,
      409: noReport,
    },
    handle: (call) =>
      withRun(call, async (kept, { suite }) => {
        const { reporter = 'json' } = call.query
        const body = kept.report && (await suite()).render(kept.report, reporter)
        return body === undefined ? unfinished(kept.run.id) : report(reporter, body)
      }),
  }),
  route('GET /runs/{id}/compare', 'compareRuns', 'Compare a run with an earlier one', {
    query: 'CompareQuery',
    responses: { 200: response('What differs.', 'Comparison'), 404: noRun, 409: noReport },
    handle: (call) =>
      withRun(call, async ({ run, report: after }, { runs, suite }) => {
        const other = runs.find(call.query.with, call.sandbox)
        if (other === undefined) return missing(call.query.with)
        if (after === undefined || other.report === undefined)
          return unfinished(after === undefined ? run.id : other.run.id)
        return json(200, (await suite()).compare(other.report, after))
      }),
  }),
  route(
    'POST /runs/{id}/baseline',
    'makeBaseline',
    'Create a baseline from the failures of a run',
    {
      description: 'For `petstore verify --baseline FILE`. It expires after 30 days by default.',
      body: {
        schema: 'NewBaseline',
        example: { reason: 'fixed in the next release', ticket: 'SHOP-12' },
      },
      responses: { 200: response('The baseline.', 'BaselineDocument'), 404: noRun, 409: noReport },
      handle: (call) =>
        withRun(call, async ({ run, report: found }, { suite }) => {
          return found === undefined
            ? unfinished(run.id)
            : json(200, (await suite()).toBaseline(found, call.body))
        }),
    },
  ),
].map((one) => ({ ...one, needs: 'suite' }))

type Suites = NonNullable<ControlCall['api']['runs']>

function withSuite(
  { api }: Pick<ControlCall, 'api'>,
  use: (suites: Suites) => Promise<MockReply>,
): Promise<MockReply> {
  const without = problem(
    501,
    'The mock was started without the contract suite. Start it with petstore mock.',
  )
  return api.runs === undefined ? Promise.resolve(without) : use(api.runs)
}

function withRun(
  { api, path: { id = '' }, sandbox }: Pick<ControlCall, 'api' | 'path' | 'sandbox'>,
  use: (
    kept: NonNullable<ReturnType<Suites['runs']['find']>>,
    suites: Suites,
  ) => MockReply | Promise<MockReply>,
): Promise<MockReply> {
  return withSuite({ api }, async (suites) => {
    const kept = suites.runs.find(id, sandbox)
    return kept === undefined ? missing(id) : use(kept, suites)
  })
}

const missing = (id: string) => problem(404, `No run has the id ${JSON.stringify(id)}.`)
const unfinished = (id: string) =>
  problem(409, `The run ${id} has no report: it is in progress, or it failed.`)
