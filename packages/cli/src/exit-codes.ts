/** How a command ends. Documented in --help and in the README; scripts depend on them. */
export const EXIT = {
  ok: 0,
  /** The run, or the request, failed. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** No server is there. */
  unreachable: 3,
  /** The server does not accept the key. */
  unauthorized: 4,
  /** The run took longer than --timeout. */
  timeout: 124,
  /** Stopped with Ctrl-C. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Ends the command with a sentence for people and a code for scripts. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
