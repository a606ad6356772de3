import type { ControlledSandbox } from '../controls.ts'
import type { Engine } from '../mock.ts'
import type { Settings } from '../types.ts'
import type { SharedEngine } from './engine.ts'
import type { Sealer } from './sealer.ts'

/** What the parts of a shared mock have in common. */
export interface SharedContext {
  engine: SharedEngine
  inner: Engine
  sealer: Sealer
  settings: Settings
  /** The id of this mock. */
  node: string
  /** How the keys and channels begin that all mocks of the name have in common. */
  prefix: string
  /** The key of a part of a sandbox. */
  keyOf: (controlled: ControlledSandbox, part: 'log' | 'state' | 'left') => string
  /** What appends entries. */
  script: string
  /** Milliseconds until an unused sandbox is gone; 0 for never. */
  sandboxTtlMs: number
  /** Notifies other mocks that something has happened in a sandbox. */
  ring: (sandbox: string | undefined) => void
  /** Something that this kit cannot read stands in the engine. */
  onUnreadable: (reason: string) => void
}
