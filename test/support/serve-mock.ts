import { onTestFinished } from 'vitest'
import { type RunningMock, startMock, type StartOptions } from '../../src/mock/index.ts'

/** Starts a mock that listens until the test ends. */
export async function serveMock(options?: StartOptions): Promise<RunningMock> {
  const mock = await startMock(options)
  onTestFinished(() => mock.close())
  return mock
}
