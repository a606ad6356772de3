/** The pages of docs/ that are generated from tables. `npm run docs` runs these tests and writes the pages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { behaviors } from '../../../src/spec/behaviors.ts'
import * as contract from '../../../src/contract/index.ts'
import * as control from '../../../src/control.ts'
import * as json from '../../../src/json.ts'
import * as fixtures from '../../../src/mock/pets/fixtures.ts'
import * as mock from '../../../src/mock/index.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import { knownEscapes, seldomNamed } from '../../proof/broken/known-escapes.ts'
import { brokenServers } from '../../proof/broken/catalog.ts'
import { readOften, readPeer, type ToolFigures } from '../../proof/prove/figures.ts'
import { conformingVariants } from '../../support/variants/catalog.ts'
import { toJavaScriptPage } from './javascript.ts'
import { commands } from '../../io/cli/command.ts'
import { measureWay, withFolders, withWay } from './architecture.ts'
import { withOptionFields } from './config-schema.ts'
import { unknownRequests } from './control-api.ts'
import { toCertaintyPage, toBehaviorsPage, toRequirementsPage, toDefectsPage } from './pages.ts'
import { withOptions } from './readme.ts'
import { withWorkflows } from './workflows.ts'

const docs = (name: string) => `../../../docs/reference/${name}`

test('requirements.md is up to date', async () => {
  await expect(toRequirementsPage(requirements)).toMatchFileSnapshot(docs('requirements.md'))
})

test('unspecified-behavior.md is up to date', async () => {
  await expect(toBehaviorsPage(behaviors)).toMatchFileSnapshot(docs('unspecified-behavior.md'))
})

test('defects.md is up to date', async () => {
  await expect(toDefectsPage(mock.defects)).toMatchFileSnapshot(docs('defects.md'))
})

test('certainty.md is up to date', async () => {
  await expect(toCertaintyPage()).toMatchFileSnapshot('../../../docs/explanation/certainty.md')
})

test('config.schema.json has the options of petstore verify', async () => {
  const schema = '../../../src/cli/config.schema.json'
  const text = readFileSync(new URL(schema, import.meta.url), 'utf8')
  await expect(withOptionFields(text)).toMatchFileSnapshot(schema)
})

test('cli.md has all options of all commands', async () => {
  const page = readFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), 'utf8')
  for (const [name, { flags }] of Object.entries(commands)) {
    expect(page).toContain(`\n| \`petstore ${name}`)
    if (flags.length > 0) expect(page).toContain(`\n<!-- options:${name} -->\n`)
  }
  await expect(withOptions(page)).toMatchFileSnapshot(docs('cli.md'))
})

const root = new URL('../../../', import.meta.url)
const texts = ['docs', 'deploy', 'examples', 'site']
  .flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path}`,
    ),
  )
  .filter((path) => /\.(md|ya?ml|cfg)$/.test(path) && !/node_modules|^site\/pages/.test(path))

test.each(['README.md', ...texts])('%s only names requests that the control API has', (path) => {
  expect(unknownRequests(readFileSync(new URL(path, root), 'utf8'))).toEqual([])
})

test('ci.md has the files that petstore init writes', async () => {
  const page = readFileSync(new URL('../../../docs/how-to/ci.md', import.meta.url), 'utf8')
  expect(page.match(/<!-- init:/g)).toHaveLength(3)
  await expect(withWorkflows(page)).resolves.toMatchFileSnapshot('../../../docs/how-to/ci.md')
})

test('architecture.md has the folders of the fence and the functions that a request enters, and names files that exist', async () => {
  const place = new URL('../../../docs/project/architecture.md', import.meta.url)
  const page = readFileSync(place, 'utf8')
  const way = measureWay()
  expect(way.filter(({ does }) => does === '')).toEqual([])
  await expect(withWay(withFolders(page), way)).toMatchFileSnapshot(
    '../../../docs/project/architecture.md',
  )
  const src = new URL('../../../src/', import.meta.url)
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  const named = Array.from(
    page.matchAll(/`(?:src\/)?((?!test\/)(?:[\w-]+\/)*[\w-]+\.(?:ts|json))`/g),
    ([, name]) => name,
  )
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([])
})

test('javascript.md is up to date', async () => {
  const page = readFileSync(
    new URL('../../../docs/reference/javascript.md', import.meta.url),
    'utf8',
  )
  await expect(toJavaScriptPage(page)).toMatchFileSnapshot(docs('javascript.md'))
})

test.each(Object.entries({ contract, control, fixtures, json, mock }))(
  'javascript.md has all of %s',
  (_, exported) => {
    const page = readFileSync(
      new URL('../../../docs/reference/javascript.md', import.meta.url),
      'utf8',
    )
    expect(Object.keys(exported).filter((name) => !page.includes(`\`${name}`))).toEqual([])
  },
)

test('defects are found in 95 % of the standard runs and in every thorough run, unless there is a reason', () => {
  const { runs = 0, defects = [], broken = [] } = readOften() ?? {}
  expect(defects.length + broken.length).toBeGreaterThan(20)
  const ids: string[] = [...mock.defects, ...brokenServers].map(({ id }) => id)
  for (const { id, standard, thorough } of [...defects, ...broken]) {
    expect(ids).toContain(id)
    const isOften = standard >= 0.95 * runs && thorough === runs
    expect([id, isOften]).toEqual([id, !Object.hasOwn({ ...knownEscapes, ...seldomNamed }, id)])
  }
})

test('proof.md, written by `npm run prove`, has the current numbers of defects and variants', () => {
  const proof = readFileSync(new URL('../../../docs/explanation/proof.md', import.meta.url), 'utf8')
  for (const row of [
    `deliberate defects, each breaking one requirement | ${mock.defects.length}`,
    `caught, with that requirement named | ${mock.defects.length}`,
    `conforming variants | ${conformingVariants.length}`,
    `accepted | ${conformingVariants.length}`,
  ]) {
    expect(proof).toContain(`| ${row} |`)
  }
})

test('README.md compares the tools by the figures of `npm run prove -- --peer`', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  const figuresOf = (tool?: ToolFigures): string => `${tool?.caught}, ${tool?.wronglyReported}`
  const { kit, peer } = readPeer() ?? {}
  expect(readme).toMatch(
    new RegExp(
      `^\\| \\[broken servers caught.+ \\| ${figuresOf(kit)} \\| .+ \\| ${figuresOf(peer)} \\|$`,
      'm',
    ),
  )
})

test('each test and source named on the security page exists', () => {
  const root = new URL('../../../', import.meta.url)
  const page = readFileSync(new URL('docs/explanation/security.md', root), 'utf8')
  const paths = [...page.matchAll(/`((?:test|src)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(50)
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})
