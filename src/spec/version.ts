/** Equal to the version in package.json, which a test checks. */
export const version = '1.0.0'

/** Identifies requests of the suite to the mock's scorecard. */
export const suiteUserAgent = 'petstore-kit (contract suite)'
