import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readBaseUrl } from '../contract/session/options.ts'
import { flagsOf } from '../options.ts'
import { version } from '../spec/version.ts'
import { type Command, note, onlyWord, readInFlags } from './command.ts'
import { readConfiguration } from './deployments.ts'
import { makeWritable, writeTextFile } from './files.ts'

export const command: Command = {
  usage: ['petstore init [URL] [options]'],
  about: `Writes petstore.config.json, which names a deployment, and a workflow for GitHub or GitLab that
verifies it after deployments. Existing files are not changed.`,
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
  exitCodes: {
    0: 'the files were written, or existed already',
    4: 'a file could not be written',
  },
  async run(console, flags) {
    const given = onlyWord(flags, 'petstore init takes one URL')
    const url = readInFlags(flags, (issues) =>
      readBaseUrl(given ?? 'https://staging.example.com/v1', issues),
    )
    const write = async (name: string, text: string): Promise<void> => {
      const file = join(console.folder, name)
      if (existsSync(file)) return note(console, `${name} already exists and was not changed`)
      await makeWritable(file)
      await writeTextFile(file, text)
      note(console, `wrote ${name}`)
    }
    await write(configFile, configuration(url))
    const kept = (
      await readConfiguration(join(console.folder, configFile), console.folder)
    )?.deployments.get('staging')
    const { keyEnv = usualKey } = kept ?? {}
    const [workflow, text] =
      flags.text('ci') === 'gitlab'
        ? ['.gitlab-ci.yml', gitlabPipeline]
        : ['.github/workflows/contract.yml', githubWorkflow]
    await write(workflow, text.replaceAll(usualKey, keyEnv))
    if (new URL(url).pathname === '/')
      note(console, `${url} has no path; base URLs of the service usually end in /v1`)
    if (kept?.baseUrl !== url)
      note(
        console,
        `The workflow verifies ${kept === undefined ? 'staging, which petstore.config.json does not name' : kept.baseUrl}; for ${url}, set the baseUrl of staging in petstore.config.json`,
      )
    const steps = [
      ...(given === undefined && kept?.baseUrl === url
        ? ['set baseUrl in petstore.config.json']
        : []),
      `export ${keyEnv}=<an API key>`,
      'petstore verify staging --read-only',
    ]
    note(console, `Next: ${steps.join(', then ')}`)
    note(console, `In CI: store the secret ${keyEnv}, and run the job after deployments`)
    return 0
  },
}

const configFile = 'petstore.config.json'
/** The variable of the key, unless a configuration that is there names another one. */
const usualKey = 'PETSTORE_STAGING_KEY'

const configuration = (baseUrl: string): string =>
  `${JSON.stringify(
    {
      $schema: './node_modules/petstore-kit/dist/cli/config.schema.json',
      deployments: { staging: { baseUrl, keyEnv: usualKey, readOnly: true } },
    },
    null,
    2,
  )}\n`

// Pinned, so that new checks only appear with an update.
const verify = `npx --yes petstore-kit@${version} verify staging --wait-until-ready 2m`
const reports = '--reporter junit=report.xml --reporter html=report.html'

const githubWorkflow = `name: Contract

on:
  # The workflow that deploys calls this one.
  workflow_call:
    secrets:
      PETSTORE_STAGING_KEY:
        required: true
  workflow_dispatch:
  # And once a day, for what changes without a deployment.
  schedule:
    - cron: '17 5 * * *'

permissions:
  contents: read

# Runs at the same time would share the rate limit of the deployment.
concurrency: contract-of-staging

jobs:
  verify:
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@fbc6f3992d24b796d5a048ff273f7fcc4a7b6c09 # v5.1.0
        with:
          persist-credentials: false
      - uses: actions/setup-node@a0853c24544627f65ddf259abe73b1d18a591444 # v5.0.0
        with:
          node-version: 24
      - run: ${verify} --reporter github ${reports}
        env:
          PETSTORE_STAGING_KEY: \${{ secrets.PETSTORE_STAGING_KEY }}
      - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
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
  # Runs at the same time would share the rate limit of the deployment.
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
