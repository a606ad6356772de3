/** The helpers for test runners of other languages in examples/; for JUnit, see test/release/junit.test.ts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandIn } from './readme.ts'
import { installExample } from './installed-example.ts'
import { has, type Result, shell } from './shell.ts'

const env = { PYTHONDONTWRITEBYTECODE: '1', GOTOOLCHAIN: 'local' }
const hasPytest = has('python3') && has('pytest')

interface Runner {
  name: string
  isThere: boolean
  /** A test that adds a rule which no request matches, in a file of its own. */
  unused: [file: string, text: string]
  /** The shell command that makes a mistake of the client. */
  spoil: string
}

const runners: readonly Runner[] = [
  {
    name: 'pytest',
    isThere: hasPytest,
    unused: [
      'test_unused.py',
      'def test_adds(petstore):\n    petstore.rule(when={"operation": "createPet"}, fault="reset")\n',
    ],
    spoil: "sed -i.bak 's/limit=100/limit=500/' shop.py",
  },
  {
    name: 'go-test',
    isThere: has('go', 'version'),
    unused: [
      'unused_test.go',
      `package shop

import (
	"testing"

	"example.com/shop/petstoretest"
)

func TestUnused(t *testing.T) {
	petstoretest.New(t).Rule(\`{"when": {"operation": "createPet"}, "fault": "reset"}\`)
}
`,
    ],
    spoil: "sed -i.bak 's/limit=100/limit=500/' shop.go",
  },
]

describe.each(runners)('$name (skipped where its tools are missing)', (runner) => {
  const runTests = (folder: string, options = ''): Promise<Result> =>
    shell(folder, commandIn(folder).replace(' exec ', ` exec ${options} `), env)

  test.runIf(runner.isThere)(
    'its tests pass, again and with other conforming behavior',
    async () => {
      const folder = installExample(runner.name)
      for (const options of ['', '--vary 4', '--ids large']) {
        const { code, stdout, stderr } = await runTests(folder, options)
        expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
        expect(stdout).not.toContain('scorecard')
      }
    },
  )

  test.runIf(runner.isThere)('a rule that was never used fails its test', async () => {
    const folder = installExample(runner.name)
    writeFileSync(join(folder, runner.unused[0]), runner.unused[1])
    const { code, stdout } = await runTests(folder)
    expect([code, stdout]).toEqual([1, expect.stringMatching(/No request matched .*"createPet"/s)])
  })

  test.runIf(runner.isThere)('the output lists the issues of the scorecard', async () => {
    const folder = installExample(runner.name)
    await shell(folder, runner.spoil)
    const { stdout } = await runTests(folder)
    expect(stdout).toContain('with a limit outside 1 to 100: Request 1 to 100 pets.')
  })

  test.runIf(runner.isThere)('a missing mock is said', async () => {
    const folder = installExample(runner.name)
    const line = commandIn(folder).replace(/^.* -- /, '')
    const { code, stdout } = await shell(folder, line, {
      ...env,
      PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1',
      PETSTORE_CONTROL_URL: 'http://127.0.0.1:1/_petstore',
    })
    expect([code, stdout]).toEqual([1, expect.stringMatching(/refused/i)])
  })
})
