/** Runs the commands of the workflows in docs/how-to/ci.md as written, with a mock instead of staging. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

import { defaultKey, type DefectId } from '../../../src/mock/index.ts'
import { version } from '../../../src/spec/version.ts'
import { makeFolder } from '../../support/folder.ts'
import { serveMock } from '../../support/serve-mock.ts'
import { run } from '../examples/shell.ts'
import { blocksOf, root } from './blocks.ts'

/** What a system does with the first YAML block below a heading. */
interface Pipeline {
  script: string
  /** Variables that the job sets for its script. */
  names: string[]
  /** Files that it keeps. */
  kept: string[]
}

const page = readFileSync(join(root, 'docs/how-to/ci.md'), 'utf8')

/** The first block below a heading. */
const blockBelow = (heading: string, language: string): string =>
  blocksOf(page.slice(page.indexOf(`# ${heading}\n`))).find((one) => one.language === language)
    ?.text ?? ''
const yamlBelow = (heading: string): unknown => parse(blockBelow(heading, 'yaml'))

interface Step {
  run?: string
  env?: object
  with?: { path?: string }
}

function readGitHub(): Pipeline {
  const { jobs } = yamlBelow('GitHub') as { jobs: { verify: { steps: Step[] } } }
  const { steps } = jobs.verify
  return {
    script: steps.flatMap((step) => step.run ?? []).join('\n'),
    names: steps.flatMap((step) => Object.keys(step.env ?? {})),
    kept: steps.flatMap((step) => step.with?.path?.trim().split('\n') ?? []),
  }
}

function readGitLab(): Pipeline {
  const { contract } = yamlBelow('GitLab') as {
    contract: {
      script: string[]
      artifacts: { paths: string[]; reports: { junit: string } }
    }
  }
  const { script, artifacts } = contract
  return {
    script: script.join('\n'),
    names: ['PETSTORE_STAGING_KEY'],
    kept: [...artifacts.paths, artifacts.reports.junit],
  }
}

test.each<[system: string, read: () => Pipeline, defects: DefectId[], code: number]>([
  ['GitHub', readGitHub, [], 0],
  ['GitHub', readGitHub, ['list.limit-ignored'], 1],
  ['GitLab', readGitLab, [], 0],
  ['GitLab', readGitLab, ['list.limit-ignored'], 1],
])('the workflow for $0, with $2, exits with $3', async (_, read, defects, code) => {
  const { script, names, kept } = read()
  expect(script).toContain(`petstore-kit@${version} `)
  expect(names).toEqual(['PETSTORE_STAGING_KEY'])
  const { url } = await serveMock({ pets: 30, defects })
  const folder = makeFolder({
    'petstore.config.json': blockBelow('Verify staging in CI', 'json').replace(
      'https://staging.example.com/v1',
      url,
    ),
  })
  writeFileSync(
    join(folder, 'npx'),
    `#!/bin/sh\nshift 2\nexec '${process.execPath}' '${join(root, 'dist/bin/petstore.js')}' "$@"\n`,
  )
  chmodSync(join(folder, 'npx'), 0o755)
  const ended = await run(folder, 'bash', ['-eo', 'pipefail', '-c', script], {
    PATH: `${folder}:${process.env['PATH']}`,
    PETSTORE_STAGING_KEY: defaultKey,
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
  })
  expect(ended.code, ended.stdout + ended.stderr).toBe(code)
  expect(kept.toSorted()).toEqual(['report.html', 'report.xml'])
  expect(kept.filter((file) => !existsSync(join(folder, file)))).toEqual([])
})
