import { describe, it } from 'vitest'
import {
  describeContract as describeWith,
  type Report,
  type TestApi,
  type VerifyInput,
} from './index.ts'

/**
 * Defines a vitest test for each requirement of the contract.
 *
 * @param target options as `verify` takes them, or the report of a run
 * @param api `describe` and `it` of another test runner; vitest's by default
 * @example
 * import { describeContract } from 'petstore-kit/vitest'
 * describeContract({ baseUrl: 'http://127.0.0.1:4010/v1', apiKey: process.env.PETSTORE_API_KEY })
 */
export function describeContract(
  target: VerifyInput | Report,
  api: TestApi = { describe, it },
): void {
  describeWith(target, api)
}
