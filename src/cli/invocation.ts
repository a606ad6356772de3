type Environment = Readonly<Record<string, string | undefined>>

/**
 * How the user starts the command: what npm starts, by npx, `npm exec` or a script, is mostly not on the path of their
 * shell, and `npx petstore` would run another package.
 */
export const invocationIn = (env: Environment): string =>
  env['npm_command'] === undefined ? 'petstore' : 'npx petstore-kit'

/** Replaces `petstore` in the command lines of a message of ours, so that users can paste them. */
export const asStarted = (text: string, env: Environment): string =>
  text.replaceAll(/(?<![\w/.@:-])petstore (?=[\w-])/g, `${invocationIn(env)} `)
