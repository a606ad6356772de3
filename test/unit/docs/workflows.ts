import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../io/cli/command.ts'
import { makeFolder } from '../../support/folder.ts'

/** Replaces the blocks of a page below `<!-- init:SYSTEM FILE -->` by what `petstore init --ci SYSTEM` writes into the file. */
export async function withWorkflows(page: string): Promise<string> {
  const texts = new Map<string, string>()
  for (const [, system = '', file = ''] of page.matchAll(/<!-- init:(\w+) (\S+) -->/g)) {
    const cwd = makeFolder()
    await run(['init', 'https://staging.example.com/v1', '--ci', system], { cwd })
    texts.set(file, readFileSync(join(cwd, file), 'utf8'))
  }
  return page.replaceAll(
    /(<!-- init:\w+ (\S+) -->\n\n```\w+\n)[^]*?(```\n)/g,
    (_, start: string, file: string, end: string) => `${start}${texts.get(file)}${end}`,
  )
}
