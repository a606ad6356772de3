import { shellQuote } from '../../report/shell.ts'

/** Hosts that only this machine reaches. */
const ownMachine = /^https?:\/\/(?:127\.|\[::1\]|localhost[:/])/

export const isOnlyHere = (mockUrl: string): boolean => ownMachine.test(`${mockUrl}/`)

/** All that a partner needs, and nothing that opens more than their sandbox. */
export function invitationOf(
  { name, key }: { name: string; key: string },
  { mockUrl, basePath, isGuarded }: { mockUrl: string; basePath: string; isGuarded: boolean },
): string {
  const console = (screen: string): string =>
    `${mockUrl}/_petstore/console/#/${screen}?sandbox=${name}`
  const authorization = shellQuote(`Authorization: Bearer ${key}`)
  return [
    `Pet Store mock: your sandbox ${name}`,
    '',
    `Base URL   ${mockUrl}${basePath}`,
    `API key    ${key}`,
    `Try it     curl -H ${authorization} ${shellQuote(`${mockUrl}${basePath}/pets?limit=3`)}`,
    `Console    ${console('requests')}`,
    `Scorecard  ${console('scorecard')}`,
    ...(isGuarded ? ['The console needs a token: paste the API key.'] : []),
    '',
  ].join('\n')
}
