import type { Sizes } from './measure.ts'

/** What the modules of a bundle are for. The first pattern that fits a path in dist/ counts. */
const subjects: [subject: string, pattern: RegExp][] = [
  ['the face itself', /^mock\/adapters\//],
  ['the scorecard: judging requests', /^mock\/control\/(judg|scorecard)/],
  ['the journal', /^mock\/control\/|^mock\/journal/],
  ['errors, delays, faults, rate limits', /^mock\/(rule|read-rule|fits|delay|prefer|rate-limit)/],
  ['what the specification leaves open', /^spec\/choices|^mock\/profile/],
  ['the words of the specification', /^spec\//],
  ['names of seeded pets', /^mock\/seed-words/],
  [
    'pets: seeds, store, collection, catalogue',
    /^mock\/(seed|store|pet-|collection|load-collection|catalogue|base|random)/,
  ],
  ['worlds: sandboxes, snapshots, clock', /^mock\/(room|world|sandbox|snapshots|clock)/],
  ['JSON without rounding', /^json/],
  ['the service: routes, parameters, answers, options', /./],
]

/** docs/size.md. */
export function toPage({ tarball, installed, faces }: Sizes, tools: string): string {
  const [msw] = faces
  if (msw === undefined) throw new Error('No face was measured.')
  const total = installed.reduce((sum, { bytes }) => sum + bytes, 0)
  return `# Size

Written by \`npm run size\`; a test holds the numbers. 1 kB is 1,000 bytes, 1 MB a million. ${tools}

## In the browser

What a face adds to the script of a page, minified and compressed by gzip, as Vite builds it. MSW is not counted: the page has its own. Aim: at most 60 kB for \`petstore-kit/msw\`.

| import | minified | with gzip | with gzip, without the names of seeded pets |
| --- | --- | --- | --- |
${faces
  .map(
    ({ entry, bundle, withoutWords }) =>
      `| \`${entry}\` | ${kilo(bundle.minified)} | ${kilo(bundle.gzip)} | ${kilo(withoutWords.gzip)} |`,
  )
  .join('\n')}

The names of the seeded pets cost ${kilo(msw.bundle.gzip - msw.withoutWords.gzip)}: words that were taken from faker when the kit was made, so that neither faker nor its locale data is loaded. What the minified ${kilo(msw.bundle.minified)} of \`petstore-kit/msw\` are made of:

| subject | minified | share |
| --- | --- | --- |
${bySubject(msw.bundle.modules)}

A page that imports the mock in development alone (\`if (import.meta.env.DEV)\`) ships none of it; [examples/react-msw](../examples/react-msw) does so, and a test looks at what it builds.

## On disk

\`npm install petstore-kit\` downloads ${kilo(tarball.packed)} of its own (${tarball.files} files) and puts ${mega(total)} on disk. Aim: at most 25 MB. Nothing runs at installation.

| package | version | size | for |
| --- | --- | --- | --- |
${installed
  .map(
    ({ name, version, bytes, neededBy }) =>
      `| ${name} | ${version} | ${mega(bytes)} | ${purposes[name] ?? `what ${neededBy.join(' and ')} needs`} |`,
  )
  .join('\n')}

msw and vitest are optional peers: only \`petstore-kit/msw\` and \`petstore-kit/vitest\` import them, and who uses these has them.

## Tried

\`npm run test:install\` packs the tarball, installs it into empty projects with npm, pnpm and yarn (node_modules and Plug'n'Play), and there uses each entry in JavaScript, in CommonJS and in TypeScript 5.9 and 7 (\`nodenext\` and \`bundler\`), the command, vitest, and a build of a page by Vite. It needs the npm registry and takes some minutes, so that it is no part of \`npm test\`: it is for changes of \`exports\`, \`files\`, \`dependencies\` or \`peerDependencies\` in package.json, and for each release. With Plug'n'Play, Node 20 cannot require ECMAScript modules from the archives of yarn: \`mock.pets\` needs the class Collection there (\`createMock({ Collection })\`), and \`require('petstore-kit/mock')\` does not work, as opposed to \`import\`.
`
}

const purposes: Record<string, string> = {
  'petstore-kit': 'the compiled sources with their types, the documentation, the fixtures',
  'jsonc-parser': 'line and column of mistakes in `--data` and `--rules`',
  undici: 'the requests of `petstore verify`, and `petstore-kit/undici`',
  '@msw/data': '`mock.pets`, loaded when it is first used',
}

function bySubject(modules: ReadonlyMap<string, number>): string {
  const bytes = new Map<string, number>()
  for (const [path, size] of modules) {
    const [subject = ''] = subjects.find(([, pattern]) => pattern.test(path)) ?? []
    bytes.set(subject, (bytes.get(subject) ?? 0) + size)
  }
  const all = [...bytes.values()].reduce((sum, size) => sum + size, 0)
  return [...bytes]
    .toSorted(([, one], [, other]) => other - one)
    .map(([subject, size]) => `| ${subject} | ${kilo(size)} | ${Math.round((100 * size) / all)} % |`)
    .join('\n')
}

const kilo = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`
const mega = (bytes: number): string => `${(bytes / 1_000_000).toFixed(2)} MB`
