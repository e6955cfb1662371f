import { parseArgs } from 'node:util'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { commonOptions } from '../options.ts'
import type { Terminal } from '../terminal.ts'
import { withClient } from '../with-client.ts'

/** A new link that signs the owner in, once: for another browser, or when the printed one was used. */
export async function signInLink(args: string[], terminal: Terminal): Promise<ExitCode> {
  const { values: flags } = parseArgs({ args, options: commonOptions })
  await withClient(terminal, flags, async ({ api }) => {
    const made = await api.post<{ url: string }>('/api/auth/sign-in-links')
    // The link alone on standard output, so that a script can take it.
    terminal.output.write(flags.json ? `${JSON.stringify(made)}\n` : `${made.url}\n`)
    if (!flags.json) terminal.errors.write(`${terminal.words.linkOnce}\n`)
  })
  return EXIT.ok
}
