import type { ServerOptions, StartedServer } from '@parley/server'

/** A server inside this process. `port` 0 takes any free one. */
export async function startLocalServer(options: ServerOptions): Promise<StartedServer> {
  // Loaded only when it is needed: the server is many times larger than the rest of the command line.
  const { start } = await import('@parley/server')
  return start(options)
}
