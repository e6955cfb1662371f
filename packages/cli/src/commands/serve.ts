import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { dataDirectory } from '../find-server.ts'
import { startLocalServer } from '../local-server.ts'
import { wholeNumber } from '../options.ts'
import type { Terminal } from '../terminal.ts'

const options = {
  'data-dir': { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
} as const

/** Starts a server and stays until it is told to stop. */
export async function serve(args: string[], { words, output, environment }: Terminal): Promise<ExitCode> {
  const { values: flags } = parseArgs({ args, options })
  const range = { option: '--port', least: 0, most: 65_535, words }
  const port = flags.port === undefined ? undefined : wholeNumber(flags.port, range)
  const server = await startLocalServer({
    dataDir: dataDirectory(flags, environment),
    ...(flags.host && { host: flags.host }),
    ...(port !== undefined && { port }),
  })
  output.write(`${words.listening(server.url)}\n`)
  if (server.elsewhere) output.write(`${words.everywhere(server.elsewhere.join(', '))}\n`)
  output.write(`${words.signIn(server.signInUrl)}\n`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await server.close()
  return EXIT.ok
}
