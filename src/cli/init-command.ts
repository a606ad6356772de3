import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { UsageError } from '../errors.ts'
import { flagsOf } from '../options.ts'
import { version } from '../spec/version.ts'
import { type Command, type Console, note, onlyWord } from './command.ts'
import { makeWritable, writeTextFile } from './files.ts'
import { invocationIn } from './invocation.ts'

export const command: Command = {
  usage: ['petstore init [URL] [options]'],
  about: `Writes petstore.config.json, which names a deployment, and a workflow for GitHub or GitLab that
verifies it once a day. Existing files are not changed.`,
  flags: flagsOf('Options', {
    'ci SYSTEM': {
      oneOf: ['github', 'gitlab'],
      default: 'github',
      help: 'the system for which to write the workflow: github or gitlab',
    },
  }),
  examples: [
    'petstore init https://staging.example.com/v1',
    'petstore init https://staging.example.com/v1 --ci gitlab',
    'petstore verify staging --read-only',
  ],
  notes: `Exit codes:
  0  the files were written, or existed already
  2  the command line is wrong
  4  a file could not be written`,
  async run(console, flags) {
    const given = onlyWord(flags, 'petstore init takes one URL')
    const url = given ?? 'https://staging.example.com/v1'
    if (!URL.canParse(url) || !/^https?:/.test(url)) {
      throw new UsageError(
        `petstore init takes the base URL of a deployment, not ${JSON.stringify(url)}`,
      )
    }
    const contents = {
      'petstore.config.json': configuration(url),
      ...(flags.text('ci') === 'gitlab'
        ? { '.gitlab-ci.yml': gitlabPipeline }
        : { '.github/workflows/contract.yml': githubWorkflow }),
    }
    for (const [name, text] of Object.entries(contents)) {
      const file = join(console.folder, name)
      if (existsSync(file)) note(console, `${name} already exists and was not changed`)
      else {
        await makeWritable(file)
        await writeTextFile(file, text)
        note(console, `wrote ${name}`)
      }
    }
    if (/^\/?$/.test(new URL(url).pathname))
      note(console, `${url} has no path; base URLs of the service usually end in /v1`)
    const steps = [
      ...(given === undefined ? ['set baseUrl in petstore.config.json'] : []),
      'export PETSTORE_STAGING_KEY=<an API key>',
      'petstore verify staging --read-only',
    ]
    note(console, `Next: ${steps.join(', then ')}`)
    return 0
  },
}

const configuration = (baseUrl: string): string =>
  `${JSON.stringify(
    {
      $schema: './node_modules/petstore-kit/dist/cli/config.schema.json',
      deployments: { staging: { baseUrl, keyEnv: 'PETSTORE_STAGING_KEY', readOnly: true } },
    },
    null,
    2,
  )}\n`

// Pinned, so that new checks only appear with an update.
const verify = `npx --yes petstore-kit@${version} verify staging`
const reports = '--reporter junit=report.xml --reporter html=report.html'

const githubWorkflow = `name: Contract

on:
  workflow_dispatch:
  schedule:
    - cron: '17 5 * * *'

permissions:
  contents: read

# Two runs at the same time would see the pets of each other.
concurrency: contract-of-staging

jobs:
  verify:
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 24
      - run: ${verify} --reporter github ${reports}
        env:
          PETSTORE_STAGING_KEY: \${{ secrets.PETSTORE_STAGING_KEY }}
      - uses: actions/upload-artifact@v4
        if: \${{ !cancelled() }}
        with:
          name: contract
          path: |
            report.xml
            report.html
`

const gitlabPipeline = `# Store the API key as a masked variable PETSTORE_STAGING_KEY: Settings, CI/CD, Variables.
contract:
  image: node:24-slim
  timeout: 10 minutes
  # Two runs at the same time would see the pets of each other.
  resource_group: contract-of-staging
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - ${verify} --reporter text ${reports}
  artifacts:
    when: always
    paths: [report.html]
    reports:
      junit: report.xml
`

/** Prompts for how to start, for `petstore` alone on a terminal. Returns the chosen command line. */
export async function chooseStart(
  input: Readable,
  output: Writable,
  env: Console['env'] = {},
): Promise<string[] | undefined> {
  const program = invocationIn(env)
  output.write(`petstore-kit: the mock server and the contract test suite of the Pet Store Service.

  1  run a mock                  ${program} mock
  2  verify a deployment         ${program} verify URL
  3  make a key for a partner    ${program} key NAME

`)
  let isMuted = false
  const echo = new Writable({
    write(text: string | Uint8Array, _, done) {
      if (!isMuted) output.write(text)
      done()
    },
  })
  const terminal = createInterface({ input, output: echo, terminal: isTerminal(output) })
  const closed = once(terminal, 'close').then(() => '')
  const prompt = async (question: string): Promise<string> =>
    (await Promise.race([terminal.question(question), closed])).trim()
  try {
    const selected = await prompt(`1, 2 or 3 (${program} --help shows everything): `)
    if (selected === '1') return ['mock']
    if (selected === '2') {
      const words = ['verify', await prompt('Base URL: ')]
      if ((env['PETSTORE_API_KEY'] ?? '') !== '') return words
      // What is typed is not shown.
      output.write('API key (not shown): ')
      isMuted = true
      const key = await prompt('')
      isMuted = false
      output.write('\n')
      return key === '' ? words : [...words, '--key', key]
    }
    if (selected === '3') return ['key', await prompt('Name: ')]
    return undefined
  } finally {
    terminal.close()
  }
}

const isTerminal = (stream: Writable): boolean => 'isTTY' in stream && stream.isTTY === true
