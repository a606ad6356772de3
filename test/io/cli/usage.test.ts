import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Command, type Console, showHelp } from '../../../src/cli/command.ts'
import { createMock, type Rule } from '../../../src/mock/index.ts'
import { ruleFields, schemas } from '../../../src/mock/schemas/schemas.ts'
import { commands, run, runProcess, start, startProcess } from './command.ts'
import { sample } from '../../support/level.ts'

const { version } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as {
  version: string
}

describe('help', () => {
  test('petstore -h names every command', async () => {
    const { code, stdout, stderr } = await runProcess(['-h'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of Object.keys(commands))
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
  })

  test('petstore alone names the three jobs with their commands, and exits with 2', async () => {
    const { code, stdout, stderr } = await runProcess([])
    expect([code, stderr]).toEqual([2, ''])
    expect(stdout.match(/petstore (mock|verify|key|scorecard|--help)/g)).toHaveLength(5)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(10)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  test.each(Object.entries(commands))(
    'of petstore %s has every option, examples, and no line that is too long',
    (name, command) => {
      for (const width of [60, 80, 120]) {
        const text = showHelp(command, helpConsole(width))
        expect(text).toMatch(new RegExp(`^Usage: petstore ${name}`))
        const flat = text.replaceAll(/\s+/g, ' ')
        for (const { name: flag, help, default: fallback, env } of command.flags) {
          expect(
            text.match(new RegExp(`^  --${flag.replace('.', '\\.')}(?: |$)`, 'gm')),
            flag,
          ).toHaveLength(1)
          expect(flat, flag).toContain(help)
          if (fallback !== undefined) expect(flat, flag).toContain(`default ${fallback})`)
          if (env !== undefined) expect(flat, flag).toContain(`or ${env}`)
        }
        expect(command.examples).toHaveLength(3)
        expect(text).toMatch(/\n\nExit codes:\n {2}\S/)
        // Only command lines are not wrapped, nor the names of variables.
        const [, before = '', after = ''] =
          /^(?:Usage: .*\n(?: +petstore .*\n)*)([^]*?)\nExamples:\n(?: {2}.*\n)*([^]*)$/.exec(
            text,
          ) ?? []
        expect(before).toContain(command.about.slice(0, 20))
        const long = `${before}${after}`.split('\n').filter((line) => line.length > width)
        expect(long.filter((line) => !/^ {2}--|^ +or \w+$/.test(line))).toEqual([])
      }
    },
  )

  test('names no page of the docs, whose path users do not have', () => {
    for (const command of Object.values(commands))
      expect(showHelp(command, helpConsole(80))).not.toMatch(/docs\/|\.md\b/)
  })

  test('petstore help rules shows every field of a rule, and an example that the mock accepts', async () => {
    const { code, stdout, stderr } = await runProcess(['help', 'rules'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of Object.keys({ ...ruleFields, ...schemas.RuleCondition.properties }))
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'))
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    const [, example = ''] = /\nExample:\n([^]*)$/.exec(stdout) ?? []
    const mock = createMock()
    for (const rule of JSON.parse(example) as Rule[]) mock.use(rule)
    expect(mock.pendingRules()).toHaveLength(3)
    // A topic is no command.
    expect((await runProcess(['rules'])).stderr).toContain('petstore help rules')
  })

  test('shows variables dimmed if colors are enabled', () => {
    const text = showHelp(commands['mock'] as Command, {
      ...helpConsole(80),
      env: { FORCE_COLOR: '1' },
    })
    expect(text).toContain('\u001b[2mor PETSTORE_MOCK_PORT\u001b[0m')
    expect(text).toContain('\u001b[1mServer:\u001b[0m')
  })

  test('is the same for help, --help and -h', async () => {
    const shown = {
      code: 0,
      stdout: showHelp(commands['key'] as Command, helpConsole(undefined)),
      stderr: '',
    }
    expect(await runProcess(['help', 'key'])).toMatchObject(shown)
    for (const flag of ['--help', '-h']) expect(await run(['key', flag])).toMatchObject(shown)
  })
})

function helpConsole(columns: number | undefined): Console {
  return {
    args: [],
    env: {},
    folder: '/',
    print: async () => {},
    notify() {},
    terminal: { stdout: false, stderr: false },
    columns: () => columns,
    interrupted: new Promise(() => {}),
  }
}

test('petstore --version', async () => {
  expect(await runProcess(['--version'])).toMatchObject({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  })
})

test('a pipe without a reader is not an error', async () => {
  const { child, ended } = startProcess(['verify', '--list'])
  child.stdout.destroy()
  const { signal, stderr } = await ended
  expect({ signal, stderr }).toEqual({ signal: null, stderr: '' })
})

describe('a command that npm started names itself as it can be pasted', () => {
  const env = { npm_command: 'exec' }

  const lines: [string[], string][] = [
    [['-h'], 'Usage: npx petstore-kit COMMAND [options]'],
    [['verify', '-h'], 'Usage: npx petstore-kit verify URL [options]'],
    [['explain', 'list.limit.default'], '  npx petstore-kit verify URL --only list.limit.default'],
  ]
  test.each(sample(lines, { usual: 3, slow: 1, all: 1 }))('%j', async (args, line) => {
    expect((await runProcess(args, { env })).stdout).toContain(`${line}\n`)
    const plain = line.replace('npx petstore-kit', 'petstore')
    expect((await runProcess(args)).stdout).toContain(`${plain}\n`)
  })

  test('errors', async () => {
    expect((await runProcess(['verfiy'], { env })).stderr).toContain('See npx petstore-kit --help.')
    expect((await runProcess(['exec', 'a'], { env })).stderr).toMatch(
      /^npx petstore-kit exec .*: npx petstore-kit exec --pets 30 -- npm test\n$/,
    )
  })

  test('the greeting of the mock, and the next step of a run', async () => {
    const mock = start(['mock', '--port', '0'], { env })
    const url = (await mock.says(/http:\S+\/v1/)).trim()
    expect(mock.stdout()).toContain('npx petstore-kit key NAME creates')
    const smoke = ['--key', 'petstore-test-key', '--read-only', '--depth', 'smoke']
    const { stdout } = await run(['verify', url, ...smoke], { env })
    expect(stdout).toContain(`\nNext: npx petstore-kit verify ${url} `)
  })

  test('the command alone', async () => {
    const { stdout } = await runProcess([], { env })
    expect(stdout).toMatch(/npx petstore-kit mock\n.*npx petstore-kit verify URL\n/)
  })
})
