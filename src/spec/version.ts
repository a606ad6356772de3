/** The version of petstore-kit. A test holds it equal to the one in package.json. */
export const version = '1.0.0'

/** The User-Agent of the contract suite, by which the mock's scorecard knows requests that are no client's. */
export const suiteUserAgent = 'petstore-kit (contract suite)'
