import { UsageError } from '../errors.ts'
import { inertLines } from '../report/inert.ts'
import type { RunningMock, StartOptions } from '../mock/start.ts'
import type { Console } from './console.ts'
import type { MockInput } from './mock-options.ts'
import type { SaveFile } from './save-file.ts'

/** A mock that a command runs. */
export interface MockRun {
  mock: RunningMock
  /** Ends it, then saves its pets. False when they could not be saved, which stderr then says. */
  end: () => Promise<boolean>
}

/** What the process adds to the options of a mock. */
export interface RunOptions {
  /** The file of `--save`. */
  save: SaveFile | undefined
  onRequest: StartOptions['onRequest']
}

/**
 * Opens the file of `--save`, which is one to write to.
 *
 * @throws {UsageError} when it is not
 */
export async function readSave(name: string | undefined): Promise<SaveFile | undefined> {
  return name === undefined ? undefined : (await import('./save-file.ts')).openSaveFile(name)
}

/**
 * Starts a mock as the command line says.
 *
 * @throws {UsageError} that tells all mistakes in the words of the command line
 */
export async function runMock(console: Console, input: MockInput, { save, onRequest }: RunOptions): Promise<MockRun> {
  const mock = await start(input, {
    onNotice: (notice) => console.tell(inertLines(`${notice}\n`)),
    ...(onRequest !== undefined && { onRequest }),
    ...(save !== undefined && {
      async save() {
        await save.save(mock.catalog.export())
        return save.file
      },
    }),
  })
  return {
    mock,
    async end() {
      // What a client was told is done is in the file: nothing comes in between.
      await mock.close()
      try {
        await save?.save(mock.catalog.export())
        return true
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
        console.tell(inertLines(`petstore: ${error.message}\n`))
        return false
      }
    },
  }
}

/** Starts a mock. The table of deviations is loaded only where it is needed. */
export async function start({ options, sources }: MockInput, more: StartOptions): Promise<RunningMock> {
  const { startMock } = await import('../mock/start.ts')
  try {
    return await startMock({ ...options, ...more }, () =>
      import('../mock/deviations.ts').then((table) => table.deviations),
    )
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const { inFlags } = await import('./flag-issues.ts')
    throw inFlags(error, sources)
  }
}
