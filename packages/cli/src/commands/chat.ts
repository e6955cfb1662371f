import { parseArgs } from 'node:util'
import { ChatLoop } from '../chat-loop.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { commonOptions } from '../options.ts'
import type { Terminal } from '../terminal.ts'
import { withClient } from '../with-client.ts'

const options = {
  ...commonOptions,
  session: { type: 'string' },
  model: { type: 'string' },
  agent: { type: 'string' },
} as const

/** A conversation in the terminal. */
export async function chat(args: string[], terminal: Terminal): Promise<ExitCode> {
  const { values: flags } = parseArgs({ args, options })
  return withClient(terminal, { ...flags, mayStart: true }, async ({ sessions }) => {
    const { session: id, model, agent } = flags
    using session = id
      ? sessions.connect(id)
      : await sessions.create({ ...(model && { model }), ...(agent && { agent }) })
    await session.ready()
    if (terminal.isInteractive) terminal.errors.write(`${terminal.style.dim(terminal.words.chatHint(session.id))}\n`)
    const loop = new ChatLoop(session, terminal, id && model ? { model } : {})
    return (await loop.talk()) ? EXIT.ok : EXIT.failed
  })
}
