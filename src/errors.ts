/** A mistake in how the kit was called: options, flags, files. The command line prints the message and exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'USAGE'
}
