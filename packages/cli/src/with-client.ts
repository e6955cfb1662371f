import { ParleyClient } from '@parley/client'
import { CommandError, EXIT } from './exit-codes.ts'
import { explain } from './explain.ts'
import { findServer, type ServerFlags } from './find-server.ts'
import type { Terminal } from './terminal.ts'

type Options = ServerFlags & {
  /** Start a server in this process when there is none. */
  mayStart?: boolean
}

/** Does something with a client of the server that `findServer` finds; what goes wrong names that server. */
export async function withClient<Result>(
  terminal: Terminal,
  { mayStart = false, ...flags }: Options,
  action: (client: ParleyClient) => Promise<Result>,
): Promise<Result> {
  await using server = await findServer(terminal, flags, { mayStart })
  const client = newClient(server, terminal.language)
  try {
    return await action(client)
  } catch (error) {
    const { exitCode, message } = explain(error, terminal.words, server.url)
    throw new CommandError(exitCode, message, { cause: error })
  }
}

function newClient({ url, key }: { url: string; key: string }, language: string): ParleyClient {
  try {
    return new ParleyClient({ baseUrl: url, token: key, language })
  } catch (error) {
    throw new CommandError(EXIT.usage, (error as Error).message, { cause: error })
  }
}
