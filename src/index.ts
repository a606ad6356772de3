/** Both halves, and the types of what they exchange. */

export {
  createMock,
  defaultKey,
  type Mock,
  type MockOptions,
  type RunningMock,
  startMock,
  type StartOptions,
} from './mock/index.ts'
export { type Finding, type Report, verify, type VerifyInput } from './verify/index.ts'
export { UsageError } from './errors.ts'
export type { HttpReply, HttpRequest } from './spec/http.ts'
export type { components, operations, paths } from './spec/paths.gen.ts'
export type * from './spec/types.ts'
