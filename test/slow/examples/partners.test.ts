/** The clients of partners in examples/, in a sandbox of the mock. */
import { sandboxKey, startMock, type RunningMock } from '../../../src/mock/index.ts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { installExample } from './installed-example.ts'
import { commandIn } from './readme.ts'
import { sample } from '../../support/level.ts'
import { has, type Result, run, shell } from './shell.ts'

/** Runs the first command in the README of an example. */
function runCheck(folder: string, options = ''): Promise<Result> {
  return shell(folder, commandIn(folder).replace(' exec ', ` exec ${options} `), {
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONIOENCODING: 'utf-8',
    GOTOOLCHAIN: 'local',
  })
}

/** Seeds of mocks with other unspecified behavior. */
const seeds = sample([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { usual: 9, slow: 9, all: 1 })

/** Expects the check of an example to pass in mocks with other unspecified behavior. */
function passesWithAnyBehavior(folder: string): void {
  test.each(seeds)('check.sh passes with --vary %i', async (seed) => {
    const { code, stdout } = await runCheck(folder, `--vary ${seed}`)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/sandbox our-shop +100 of 100/),
    })
  })
}

describe.skipIf(!has('python3'))('partner-python (needs python3)', () => {
  const folder = installExample('partner-python')
  const broken = installExample('partner-python')

  test('check.sh passes the tests and the program, with a scorecard of 100', async () => {
    const { code, stdout, stderr } = await runCheck(folder)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/Ran \d+ tests in/) })
    expect(stdout).toContain('added Max as no. 105, category 9007199254740993, pending\n')
    expect(stdout).toContain('added Luna as no. 106, category 9223372036854775807, sold\n')
    expect(stdout).toMatch(/sandbox our-shop/)
  })

  passesWithAnyBehavior(folder)

  test('check.sh fails when the client makes a mistake', async () => {
    const { code } = await shell(broken, `sed -i.bak 's/"limit": limit/"limit": 500/' pet_store.py`)
    expect(code).toBe(0)
    const result = await runCheck(broken)
    expect(result.code).toBe(1)
  })
})

describe.skipIf(!has('go', 'version'))('partner-go (needs go)', () => {
  const folder = installExample('partner-go')

  test('check.sh passes the tests, with a scorecard of 100', async () => {
    const { code, stdout, stderr } = await runCheck(folder)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ok .*our-shop/m)
    expect(stdout).toMatch(/sandbox our-shop +100 of 100/)
  })

  passesWithAnyBehavior(folder)
})

describe.skipIf(!has('curl'))('partner-curl (needs curl)', () => {
  const folder = installExample('partner-curl')
  let mock: RunningMock
  const sandbox = () => mock.sandboxes.get('our-shop')
  const pets = (...args: string[]) =>
    run(folder, 'sh', ['pets.sh', ...args], {
      PETSTORE_BASE_URL: mock.url,
      PETSTORE_API_KEY: sandboxKey('our-shop'),
    })

  beforeAll(async () => {
    mock = await startMock({ pets: 5 })
    return () => mock.close()
  })
  beforeEach(() => {
    sandbox().reset()
    sandbox().journal.clear()
  })

  test('check.sh passes, with a scorecard of 100', async () => {
    const { code, stdout, stderr } = await runCheck(folder)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Zoë is no. 102\nMax "the Cat" is no. 103\nLuna \\o/ is no. 104\n')
    expect(stdout).toMatch(/sandbox our-shop/)
  })

  passesWithAnyBehavior(folder)

  test('check.sh fails when a pet is rejected', async () => {
    const { code, stderr } = await runCheck(folder, '--behavior auth.write-permission=403')
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('responded 403') })
  })

  test('sends any name and category unchanged', async () => {
    const name = `Zoë "x" \\o/ $HOME 'y' & 100%`
    expect(await pets('add', name, '-9223372036854775808', 'sold')).toMatchObject({
      code: 0,
      stdout: '6\n',
    })
    expect(sandbox().catalog.export().at(-1)).toEqual({
      id: 6,
      name,
      categoryId: -9_223_372_036_854_775_808n,
      status: 'sold',
    })
  })

  test.each([
    ['an unknown command', ['remove', '1']],
    ['no category', ['add', 'Rex']],
    ['a category that is not an integer', ['add', 'Rex', '1e3']],
    ['a control character', ['add', 'Rex\u0007', '1']],
  ])('rejects %s without a request', async (_, args) => {
    expect(await pets(...args)).toMatchObject({ code: 2, stdout: '' })
    expect(sandbox().journal.list()).toEqual([])
  })

  test('shows the message of the service for a rejection', async () => {
    const { code, stderr } = await pets('add', 'Rex', '9223372036854775808')
    expect(code).toBe(1)
    expect(stderr).toContain('categoryId')
  })

  test('retries a creation after a response that it was not done', async () => {
    sandbox().use({ reply: { status: 503, headers: { 'retry-after': '0' } }, times: 2 })
    expect(await pets('add', 'Rex', '1')).toMatchObject({ code: 0, stdout: '6\n' })
  })

  test.each([
    [{ reply: { status: 500 } }],
    [{ reply: { status: 503 } }],
    [{ fault: 'reset' as const }],
    [{ fault: 'truncated-body' as const }],
  ])('does not retry a creation with an unknown outcome: %j', async (rule) => {
    sandbox().use({ ...rule, times: 1 })
    expect(await pets('add', 'Rex', '1')).toMatchObject({ code: 3, stdout: '' })
    expect(sandbox().journal.list({ operation: 'createPet' })).toHaveLength(1)
  })
})
