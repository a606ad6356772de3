/** Tables of which `npm test` runs a sample, and properties that it tries less often; `npm run test:slow` runs more of them. */
export const sampled = [
  'test/io/browser/console.test.ts',
  'test/io/contract/{printed,secrecy}.test.ts',
  'test/io/hostile/{hostile,mutation}.test.ts',
  'test/io/mock/resets.test.ts',
  'test/io/over-sockets.test.ts',
  'test/proof/broken/broken.test.ts',
  'test/proof/broken/silence.test.ts',
  'test/proof/closed-loop/compare.test.ts',
  'test/proof/closed-loop/{checks,clients,defects,known,log,traffic}.test.ts',
  'test/proof/variants/{conforming,neighbors,one-mistake}.test.ts',
  'test/unit/json-problem.test.ts',
  'test/unit/contract/{gateways,only-failed}.test.ts',
  'test/unit/control/{hostile,pets,state}.test.ts',
  'test/unit/mock/{chaos,list-of-pets,deterministic,operations,read-rule,sandbox-key,store}.test.ts',
  'test/unit/report/{redact,requests}.test.ts',
  'test/unit/scorecard/conforming.test.ts',
]
