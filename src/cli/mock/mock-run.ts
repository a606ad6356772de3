import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { UsageError } from '../../errors.ts'
import type { JsonValue } from '../../json.ts'
import type { Suite } from '../../mock/control/routes/suite-runs.ts'
import { printPets } from '../../mock/pets/pet.ts'
import { type RunningMock, startMock, type StartOptions } from '../../mock/start.ts'
import type { Parsed } from '../../options.ts'
import { count, inertJson } from '../../report/text.ts'
import { type Console, note, throwInFlags, warn } from '../command.ts'
import { readTextFile, stampOf, writeTextFile } from '../files.ts'
import { placed, readMockOptions } from './mock-options.ts'
import { prepareOutputs } from '../outputs.ts'
import { createLog, type LogOptions } from './request-log.ts'
import { watchRules } from './unused-rules.ts'

/** Starts the mock of a command line. Throws a UsageError that lists all mistakes in terms of flags. */
export async function runMock(
  console: Console,
  flags: Parsed,
  log: LogOptions,
  suite?: () => Promise<Suite>,
) {
  const input = await readMockOptions(console, flags)
  const { options, inFile, rulePlaces } = input
  const save = flags.text('save')
  const stateFolder = flags.text('state') ?? ''
  const states = stateFolder === '' ? undefined : await import('./state-folder.ts')
  await states?.expectFolder(stateFolder)
  const head = states && join(stateFolder, states.headName)
  await prepareOutputs([head, save].flatMap((file) => (file === undefined ? [] : [{ file }])))
  const overwritten = save !== undefined && existsSync(save) ? save : undefined
  const listeners = createLog(flags, { ...log, mock: () => mock })
  const watched = rulePlaces.size === 0 ? undefined : watchRules(rulePlaces, () => mock)
  const folder = await states?.openStateFolder(console, flags, stateFolder, options)
  const file = resolve(save ?? '')
  let saving: Promise<unknown> = Promise.resolve()
  /** Saves one after another, so that no older pets replace newer ones. */
  function savePets(): Promise<string> {
    const saved = saving.then(async () => {
      await writeTextFile(file, inertJson(printPets(mock.catalog.export())))
      return file
    })
    saving = saved.catch(() => {})
    return saved
  }
  const started = startMock(
    {
      ...options,
      ...listeners,
      ...(watched && {
        onRequest(request) {
          listeners.onRequest?.(request)
          watched.onRequest(request)
        },
      }),
      state: folder?.state,
      suite,
      save: save === undefined ? undefined : savePets,
      onNotice: (notice) => note(console, notice),
    },
    () => import('../../mock/defects/index.ts').then((table) => table.defects),
    folder?.target,
  )
  const mock = await started.catch(async (error: unknown) => {
    await folder?.release()
    return throwInFlags(error, flags, inFile)
  })
  const ends = await Promise.all([
    ...(flags.has('watch') ? [watchPets(console, mock, flags.text('data') ?? '')] : []),
    ...(options.tls ? [watchTls(console, mock, options.tls, flags)] : []),
  ])
  /** Stops the mock, and leaves its state to others. Returns whether everything is saved. */
  async function close(): Promise<boolean> {
    for (const end of ends) end()
    const isSaved = await mock.close().then(
      () => true,
      () => false,
    )
    await folder?.release()
    return isSaved
  }
  return {
    mock,
    input,
    close,
    /** The file with pets that will be overwritten. */
    overwritten,
    /** Stops the mock, then saves its pets. Returns false, after a message on stderr, when that fails. */
    async end(): Promise<boolean> {
      for (const line of (await watched?.lines()) ?? []) note(console, line)
      // Includes the changes of other mocks that share the state.
      if (save !== undefined) await mock.catchUp().catch(() => {})
      // Closed before saving, so that every acknowledged change is in the file; the state reports its own errors.
      const isSaved = await close()
      try {
        if (save !== undefined) await savePets()
        return isSaved
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
        warn(console, error.message)
        return false
      }
    },
  }
}

/** Reloads the pets whenever their file changes. Returns a function that stops it. */
function watchPets(console: Console, mock: RunningMock, file: string): Promise<() => void> {
  const read = async (): Promise<void> => {
    const { readJsonFile } = await import('../json-file.ts')
    const pets = await readJsonFile(file, 'the pets file')
    try {
      mock.renewData(pets.value as JsonValue[])
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      throw new UsageError(
        error.issues.map(({ path, message }) => placed(pets, path.split('/').slice(1), message)),
      )
    }
    note(console, `Read ${count(mock.catalog.export().length, 'pet')} of ${file} again.`)
  }
  return watchFiles(console, [file], read, (why) => `${why}; the pets were not changed`)
}

/** Reloads the certificate whenever its files change. Returns a function that stops it. */
function watchTls(
  console: Console,
  mock: RunningMock,
  first: NonNullable<StartOptions['tls']>,
  flags: Parsed,
) {
  const files = [flags.text('tls-cert') ?? '', flags.text('tls-key') ?? ''] as const
  let served = first
  const read = async (): Promise<void> => {
    const texts = files.map((file) => readTextFile(file, 'the certificate or its key'))
    const [cert = '', key = ''] = await Promise.all(texts)
    if (cert === served.cert && key === served.key) return
    // Fails if one of the two files is not updated yet; the next change reads both again.
    mock.renewTls({ cert, key })
    served = { cert, key }
    note(console, `New connections use the new certificate in ${files[0]}.`)
  }
  const warningOf = (why: string): string => `${why}; the previous certificate stays in use`
  return watchFiles(console, files, read, warningOf)
}

/** How often watched files are looked at, and how long files must stay unchanged: one save makes several. */
const watchMs = 250
const restMs = 100

/**
 * Looks at files regularly. The system sends no events for a change behind a link, nor in folders of another machine
 * or of the host of a container. Returns a function that stops it.
 */
async function watchFiles(
  console: Console,
  files: readonly string[],
  read: () => Promise<void>,
  messageOf: (why: string) => string,
): Promise<() => void> {
  const warnOf = (error: unknown): void => {
    if (!(error instanceof UsageError)) throw error
    warn(console, messageOf(error.message.replace(/\.$/, '')))
  }
  const look = async (): Promise<string> => (await Promise.all(files.map(stampOf))).join()
  const end = new AbortController()
  const watch = async (from: string): Promise<void> => {
    for (let known = from; !end.signal.aborted;) {
      await setTimeout(watchMs, undefined, { ref: false, signal: end.signal })
      if ((await look()) === known) continue
      do {
        known = await look()
        await setTimeout(restMs, undefined, { ref: false, signal: end.signal })
      } while ((await look()) !== known)
      await read().catch(warnOf)
    }
  }
  void watch(await look()).catch((error: unknown) => {
    if (!end.signal.aborted) throw error
  })
  return () => end.abort()
}
