const foreign =
  /^(PETSTORE_|CI(_|$)|CONTINUOUS_INTEGRATION$|GITHUB_|GITLAB_|npm_|NODE_OPTIONS$|NODE_ENV$|NO_COLOR$|FORCE_COLOR$|VITE|TEST$|INIT_CWD$)/i

/** The environment without the variables that npm, Vitest and a CI service set for child processes. */
export const environment = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name))),
  ...more,
})
