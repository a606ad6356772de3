/** The folders of src and what each may import: the fence of `test/unit/package/folders.test.ts`, and the table of the docs. */

export interface Folder {
  /** What its files are for. */
  role: string
  /** The folders whose files it may import. Each entry is one of this table. */
  imports: readonly string[]
  /** Why it has more than twelve files. */
  large?: string
}

const words = (text: string): readonly string[] => text.split(' ').filter(Boolean)

/**
 * The files at the top of src stand for themselves: `base` for those that anything may import, and the entries of the
 * package by their names. A folder only imports folders above it in this table.
 */
export const folders: Readonly<Record<string, Folder>> = Object.fromEntries(
  Object.entries<readonly [role: string, imports: string, large?: string]>({
    spec: [
      'what the specification says, as data and types: operations, requirements, unspecified behavior, OpenAPI',
      '',
    ],
    report: [
      'ink for both halves: pages, Markdown, JUnit, text without control characters, redaction',
      '',
    ],
    base: ['lossless JSON, errors, checks of values by schemas, flags of commands', 'report'],

    'mock/schemas': [
      'schemas of what the mock reads, the validators and the types that the build makes of them',
      'base spec',
    ],
    'mock/pets': ['pets: stored, seeded, generated, printed', 'base mock/schemas spec'],
    'mock/rules': [
      'rules that replace, delay or break responses; the header Prefer',
      'base mock/pets mock/schemas report spec',
    ],
    'mock/service': [
      'one request to one response, without sockets: route, authenticate, apply rules, call a handler',
      'base mock/pets mock/rules mock/schemas report spec',
    ],
    'mock/defects': [
      'the deliberate defects, each a wrapper around the service',
      'base mock/pets mock/schemas mock/service spec',
    ],
    'mock/journal': [
      'recorded requests and responses, their queries and HAR',
      'base mock/pets mock/rules mock/schemas mock/service report spec',
    ],
    'mock/scorecard': [
      'what a journal says about a client',
      'base mock/journal mock/pets mock/service report spec',
    ],
    'mock/sandbox': [
      'everything behind one key as a state machine; all sandboxes as a mock; its settings and its saved state',
      'base mock/defects mock/journal mock/pets mock/rules mock/schemas mock/scorecard mock/service report spec',
    ],
    'mock/control/schemas': [
      'schemas of the control API',
      'base mock/rules mock/schemas mock/scorecard report spec',
    ],
    'mock/control/routes': [
      'the tables of the control API: a row for each operation',
      'base mock/control/schemas mock/defects mock/journal mock/pets mock/rules mock/sandbox mock/schemas mock/scorecard mock/service report spec',
    ],
    'mock/control': [
      'the control API: who may call it, and the router over its tables',
      'base mock/control/routes mock/control/schemas mock/service report',
    ],
    'mock/http': [
      'the sockets: node:http and node:http2, bodies, metrics, the files of the console',
      'base mock/control mock/control/routes mock/sandbox mock/service report spec',
    ],
    'mock/shared': [
      'many mocks as one, over a log in Redis or Valkey',
      'base mock/control/routes mock/http mock/journal mock/pets mock/sandbox mock/service report',
    ],
    mock: [
      'the entry of the mock: `createMock`, `startMock`',
      'base mock/control mock/control/routes mock/defects mock/http mock/journal mock/pets mock/rules mock/sandbox mock/schemas mock/scorecard mock/service mock/shared report',
    ],
    'mock/adapters': [
      'MSW, fetch, undici, Playwright: translate in, call, translate out',
      'base mock mock/http mock/journal mock/rules mock/sandbox mock/schemas mock/service spec',
    ],

    'contract/http': ['requests, connections, retries, bodies', 'base report spec'],
    'contract/report': [
      'reports, baselines and histories, as data and schemas',
      'base report spec',
    ],
    'contract/judge': [
      'what is wrong with a response, and what it shows',
      'base contract/http contract/report report spec',
    ],
    'contract/claims': [
      'what contradicts between responses, and the questions that decide it; sends nothing',
      'base contract/http contract/judge report spec',
    ],
    'contract/session': [
      'a run: its options, what it has seen and created, its requests',
      'base contract/http contract/judge contract/report contract/claims spec',
    ],
    'contract/checks': [
      'the checks by topic',
      'base contract/http contract/judge contract/session contract/claims spec',
    ],
    'contract/thorough': [
      'random sequences of requests',
      'contract/checks contract/http contract/judge contract/report contract/session contract/claims report spec',
    ],
    'contract/reporters': [
      'a report as text, HTML, JUnit, SARIF and the like',
      'base contract/judge contract/report report spec',
    ],
    'contract/suite': [
      'the list of checks, their order, the verdicts, the report; comparisons of runs',
      'base contract/checks contract/http contract/judge contract/report contract/reporters contract/session contract/claims contract/thorough report spec',
    ],
    'contract/traffic': [
      'judges the traffic of others',
      'base contract/http contract/judge contract/report contract/suite contract/claims report spec',
    ],
    contract: [
      'the entry of the suite: `verify`, `compare`, reporters, `describeContract`',
      'contract/report contract/reporters contract/session contract/suite report spec',
    ],

    verify: [
      'the entries of the suite: `contract` with the mock, which responds beside each violation',
      'base contract contract/judge mock/sandbox',
    ],
    'index.ts': ['the entry of the package: both halves', 'base mock spec verify'],
    'types.ts': ['the entry of the types of the interface', 'spec'],
    'control.gen.ts': ['types of the control API, written by the build', 'base'],
    'control.ts': ['the client of the control API', 'base control.gen.ts'],

    proxy: [
      'forwards to a deployment, judges and records what passes',
      'base contract/http contract/judge contract/traffic mock/control mock/http mock/sandbox mock/schemas mock/service report spec',
    ],

    'console/state': [
      'what the console knows: its address, its requests, its stores',
      'base mock/journal report',
    ],
    'console/parts': [
      'parts of its pages',
      'base console/state control.gen.ts mock/journal mock/schemas mock/scorecard',
    ],
    'console/screens': [
      'one file a page',
      'base console/parts console/state control.gen.ts mock/scorecard report spec',
    ],
    'console/screens/rules': [
      'rules and faults: the list, and the form of a rule',
      'base console/parts console/state mock/schemas report spec',
    ],
    'console/screens/requests/detail': [
      'one request of the journal',
      'base console/parts console/screens console/screens/rules console/state control.gen.ts mock/journal mock/schemas mock/scorecard report',
    ],
    'console/screens/requests': [
      'the list of requests, and the form that sends one',
      'base console/parts console/screens/requests/detail console/state control.gen.ts mock/journal mock/schemas mock/scorecard report spec',
    ],
    'console/screens/runs': [
      'runs of the suite',
      'base console/parts console/screens/requests/detail console/state contract/report control.gen.ts mock/schemas report',
    ],
    console: [
      'the page itself',
      'console/parts console/screens console/screens/requests console/screens/rules console/screens/runs console/state control.gen.ts mock/schemas report',
    ],

    cli: [
      'what commands share: the frame of a command, files, deployments, outputs; `explain`, `help rules` and `init`',
      'base contract contract/http contract/session contract/suite mock mock/defects mock/schemas mock/scorecard report spec',
    ],
    'cli/verify': [
      '`verify` and what works on its reports',
      'base cli contract contract/http contract/judge contract/report contract/reporters contract/session mock/control/routes mock/pets mock/sandbox report spec verify',
    ],
    'cli/mock': [
      '`mock` and its files; `health`, `key`, `openapi`',
      'base cli cli/verify mock mock/control mock/control/routes mock/defects mock/http mock/journal mock/pets mock/rules mock/sandbox mock/schemas mock/service report spec',
    ],
    'cli/scorecard': [
      '`scorecard`',
      'base cli cli/mock cli/verify contract/http control.ts mock mock/sandbox mock/scorecard mock/service report spec',
    ],
    'cli/proxy': [
      '`proxy` and `judge`',
      'base cli cli/mock cli/verify contract contract/http contract/report contract/session mock mock/control mock/control/routes mock/http mock/scorecard proxy report verify',
    ],
    'cli/exec': ['`exec`: a command beside a mock or a proxy', 'base cli cli/mock cli/proxy mock'],
    'cli.ts': [
      'the command line: finds the command',
      'base cli cli/exec cli/mock cli/proxy cli/scorecard cli/verify spec',
    ],
  }).map(([name, [role, imports, large]]) => [
    name,
    { role, imports: words(imports), ...(large !== undefined && { large }) },
  ]),
)
