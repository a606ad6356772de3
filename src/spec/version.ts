/** The version of petstore-kit. A test holds it equal to the one in package.json. */
export const version = '1.0.0'
