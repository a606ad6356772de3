/** The JUnit extension in examples/junit, with Maven, which downloads JUnit. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandIn } from '../slow/examples/readme.ts'
import { makeFolder } from '../support/folder.ts'
import { isInstalled, root, runShell } from './shell.ts'

const cli = `node ${join(root, 'dist/bin/petstore.js')}`
const command = commandIn(join(root, 'examples/junit')).replace('npx petstore-kit', cli)
const example = (): string => {
  const folder = makeFolder()
  cpSync(join(root, 'examples/junit'), folder, { recursive: true })
  return folder
}

test.runIf(isInstalled('mvn'))(
  'junit: its tests pass; a rule that was never used fails its test; issues are printed',
  async () => {
    const folder = example()
    for (const options of ['', '--vary 4'])
      expect(await runShell(command.replace(' exec ', ` exec ${options} `), folder)).not.toContain(
        'To fix it:',
      )

    const source = 'src/test/java/com/example/shop/ShopTest.java'
    await runShell(
      `sed -i.bak 's/"times": 1}/"times": 2}/; s/listPets/createPet/' ${source}`,
      folder,
    )
    await expect(runShell(command, folder)).rejects.toThrow(/No request matched these rules/)

    await runShell(`mv ${source}.bak ${source}`, folder)
    await runShell(
      "sed -i.bak 's/limit=100/limit=500/' src/main/java/com/example/shop/Shop.java",
      folder,
    )
    await expect(runShell(command, folder)).rejects.toThrow(/To fix it: Request 1 to 100 pets/)
  },
)
