import type { InnerSandbox } from '../sandbox/sandbox.ts'
import type { InnerMock } from '../sandbox/mock.ts'
import type { Settings } from '../sandbox/types.ts'
import type { SharedEngine } from './engine.ts'
import type { Sealer } from './sealer.ts'

/** Shared by all parts of a shared mock. */
export interface SharedContext {
  engine: SharedEngine
  inner: InnerMock
  sealer: Sealer
  settings: Settings
  node: string
  prefix: string
  keyOf: (sandbox: InnerSandbox, part: 'log' | 'state' | 'left') => string
  /** Milliseconds until an unused sandbox expires; 0 for never. */
  sandboxTtlMs: number
  /** Notifies other mocks of a change in a sandbox. */
  announce: (sandbox: string | undefined) => void
  /** Called when the log of a sandbox cannot be read. */
  onUnreadable: (reason: string) => void
}
