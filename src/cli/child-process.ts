import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import type { Console } from './console.ts'
import { reasonOf } from './files.ts'

/** A command that could not be started: the code that a shell would exit with, and why. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted'
  /** 127: it was not found. 126: it cannot be executed. */
  readonly exitCode: 126 | 127

  constructor(exitCode: 126 | 127, message: string, options: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** A command that runs, or will. */
export interface Child {
  /**
   * Runs the command with the streams of this process, and waits for its end.
   *
   * @returns its exit code, or 128 and the number of the signal that ended it, as a shell does
   * @throws {NotStarted} when there is no such command, or when it cannot be executed
   */
  run: (command: string, args: readonly string[], env: Console['env']) => Promise<number>
  /** The first signal that came while nothing ran that could take it. */
  signal: () => NodeJS.Signals | undefined
  /** Listens to signals no more. */
  release: () => void
}

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Passes signals of this process on to the command that it runs; they do not end this process. */
export function createChild(): Child {
  let child: ChildProcess | undefined
  let unheard: NodeJS.Signals | undefined
  const hear = (signal: NodeJS.Signals): void => {
    if (child === undefined) unheard ??= signal
    else if (!isFromKeyboard(signal)) child.kill(signal)
  }
  for (const signal of passedOn) process.on(signal, hear)
  return {
    run: (command, args, env) =>
      new Promise((resolve, reject) => {
        try {
          child = spawn(command, args, { env, stdio: 'inherit' })
        } catch (error) {
          reject(notStarted(command, error as NodeJS.ErrnoException))
          return
        }
        child.once('error', (error: NodeJS.ErrnoException) => {
          // A signal that could not be sent is no reason to give up the command.
          if (child?.pid === undefined) reject(notStarted(command, error))
        })
        child.once('exit', (code, signal) => resolve(code ?? exitCodeOf(signal ?? 'SIGKILL')))
      }),
    signal: () => unheard,
    release() {
      for (const signal of passedOn) process.off(signal, hear)
    },
  }
}

/** What a shell exits with when a signal ended a command. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/**
 * A terminal sends the signals of its keyboard to the command by itself. To pass them on would interrupt it twice, which
 * many programs take for an order to end at once.
 */
function isFromKeyboard(signal: NodeJS.Signals): boolean {
  return (signal === 'SIGINT' || signal === 'SIGQUIT') && [0, 1, 2].some((stream) => isatty(stream)) && isInForeground()
}

/** Whether this process is among those that the keyboard interrupts; so it seems where the system does not tell. */
function isInForeground(): boolean {
  try {
    // proc(5): state, parent, process group, session, terminal, and the group in its foreground, behind the name.
    const [, , group, , , foreground] = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return group === foreground
  } catch {
    return true
  }
}

function notStarted(command: string, error: NodeJS.ErrnoException): NotStarted {
  const shown = JSON.stringify(command)
  return error.code === 'ENOENT'
    ? new NotStarted(127, `the command ${shown} was not found`, { cause: error })
    : new NotStarted(126, `the command ${shown} cannot be executed: ${reasonOf(error)}`, { cause: error })
}
