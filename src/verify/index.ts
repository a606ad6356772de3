/** The contract suite, with the mock as the conforming service that findings show beside the deployment. */

import { conforming } from './conforming.ts'
import * as suite from '../contract/index.ts'
import type { Report, TestApi, VerifyInput } from '../contract/index.ts'
import { expectObject } from '../errors.ts'

export * from '../contract/index.ts'

/** Adds the default of the option `conforming` to options, and leaves a report as it is. */
function withMock<Target extends VerifyInput | Report>(target: Target): Target {
  expectObject(target)
  return 'requirements' in target
    ? target
    : { ...target, conforming: target.conforming ?? conforming }
}

/**
 * Verifies that a deployment keeps the contract.
 *
 * Sends about 190 requests and creates at most `maxWrites` pets, which stay.
 *
 * @returns the report; its `verdict` is `conforms`, `violates` or `not-verified`
 * @throws {UsageError} when an option is wrong, or when the base URL is not on this machine and neither `readOnly` nor
 *   `allowWrites` is set
 * @example
 * const report = await verify({ baseUrl: 'http://127.0.0.1:4010/v1', apiKey: process.env.PETSTORE_API_KEY })
 * if (report.verdict === 'violates') console.log(report.findings)
 */
export async function verify(input: VerifyInput): Promise<Report> {
  return suite.verify(withMock(input))
}

/**
 * Defines a test for each requirement: it passes when the requirement is verified, fails with the finding's text when it is
 * violated, and is skipped with the reason when it could not be verified. One test more fails with the reason of a run
 * that comes to no verdict: a wrong address, say, so that a run of nothing but skipped tests does not pass.
 *
 * The run starts with the first test. Jest cannot skip a test that runs: give it a report instead of options.
 *
 * @param target options as `verify` takes them, or the report of a run
 * @example
 * import { describe, it } from 'node:test'
 * describeContract({ baseUrl, apiKey }, { describe, it })
 * @example
 * // Jest, in a file that is an ES module
 * describeContract(await verify({ baseUrl, apiKey }), { describe, it })
 */
export function describeContract(target: VerifyInput | Report, api: TestApi): void {
  suite.describeContract(withMock(target), api)
}
