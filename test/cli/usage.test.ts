import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { execFlags } from '../../src/cli/exec-command.ts'
import { keyFlags } from '../../src/cli/key-command.ts'
import { mockFlags } from '../../src/cli/mock-flags.ts'
import { replayFlags, verifyFlags } from '../../src/cli/verify-flags.ts'
import { run, start } from './command.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

describe('help', () => {
  test.each([['--help'], ['-h'], ['help']])('petstore %s names every command', async (arg) => {
    const { code, stdout, stderr } = await run([arg])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of ['mock', 'exec', 'key', 'verify', 'replay', 'baseline'])
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
  })

  test('petstore alone shows it as well, and is a mistake', async () => {
    expect(await run([])).toMatchObject({ code: 2, stdout: expect.stringContaining('Usage: petstore') })
  })

  test.each([
    ['mock', mockFlags],
    ['exec', execFlags],
    ['key', keyFlags],
    ['verify', verifyFlags],
    ['replay', replayFlags],
  ])('petstore %s --help shows each option once, with its default and its variable', async (command, flags) => {
    const { code, stdout } = await run([command, '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Usage: petstore ${command} `))
    const lines = stdout.split('\n').filter((line) => /^ {2}--/.test(line))
    expect(lines).toHaveLength(flags.length)
    for (const { name, help, default: fallback, env } of flags) {
      const line = lines.find((text) => new RegExp(`^ {2}--${name}(?: |$)`).test(text))
      expect(line, name).toContain(help)
      if (fallback !== undefined) expect(line, name).toContain(`default ${fallback}`)
      if (env !== undefined) expect(line, name).toContain(env)
    }
    expect(await run([command, '-h'])).toMatchObject({ code: 0, stdout })
  })

  test('petstore verify --help tells the exit codes', async () => {
    const { stdout } = await run(['verify', '--help'])
    expect([...stdout.matchAll(/^ {2}(\d) {2}\S/gm)].map(([, code]) => code)).toEqual(['0', '1', '2', '3', '4'])
  })
})

test.each([['--version'], ['-v']])('petstore %s', async (arg) => {
  expect(await run([arg])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test.each([
  ['moc', 'petstore: there is no command "moc"; did you mean mock? See petstore --help.\n'],
  ['toString', 'petstore: there is no command "toString". See petstore --help.\n'],
])('petstore %s', async (name, stderr) => {
  expect(await run([name])).toEqual({ code: 2, signal: null, stdout: '', stderr })
})

test.each([[['verify', '--list']], [['verify', '--help']], [['mock', '--list-deviations']], [['--help']]])(
  'petstore %j into a pipe that nobody reads does not complain',
  async (args) => {
    const { child, ended } = start(args)
    child.stdout.destroy()
    const { signal, stderr } = await ended
    expect({ signal, stderr }).toEqual({ signal: null, stderr: '' })
  },
)
