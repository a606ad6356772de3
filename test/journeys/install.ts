/** Packs petstore-kit and installs it into an empty project, once for all journeys. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { pack, root, run } from '../release/shell.ts'
import { makeFolder } from '../support/folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the project. */
    project: string
  }
}

const { version, devDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as { version: string; devDependencies: Record<string, string> }

export async function setup({ provide }: TestProject): Promise<() => void> {
  const cleanups: (() => void)[] = []
  const tarballs = makeFolder({}, (cleanup) => cleanups.push(cleanup))
  await pack(tarballs)
  const names = ['@playwright/test', 'msw', 'vitest']
  const manifest = {
    private: true,
    type: 'module',
    devDependencies: {
      'petstore-kit': `file:${join(tarballs, `petstore-kit-${version}.tgz`)}`,
      ...Object.fromEntries(names.map((name) => [name, devDependencies[name]])),
    },
  }
  const project = makeFolder({ 'package.json': JSON.stringify(manifest) }, (cleanup) =>
    cleanups.push(cleanup),
  )
  const quietly = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  await run(['npm', 'install', ...quietly], project)
  provide('project', project)
  return () => cleanups.forEach((cleanup) => cleanup())
}
