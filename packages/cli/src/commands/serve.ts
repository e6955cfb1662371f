import { parseArgs } from 'node:util'
import { dataDirectory } from '../find-server.ts'
import { wholeNumber } from '../options.ts'
import type { Terminal } from '../terminal.ts'

const options = {
  'data-dir': { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
} as const

/** The server program, in this process, which it ends with the server's own exit codes. */
export async function serve(args: string[], { words, output, environment }: Terminal): Promise<never> {
  const { values: flags } = parseArgs({ args, options })
  const range = { option: '--port', least: 0, most: 65_535, words }
  const port = flags.port === undefined ? undefined : wholeNumber(flags.port, range)
  // Loaded only when it is needed: the server is many times larger than the rest of the command line.
  const { serve: serveHere } = await import('@parley/server')
  return serveHere({
    options: {
      dataDir: dataDirectory(flags, environment),
      ...(flags.host && { host: flags.host }),
      ...(port !== undefined && { port }),
    },
    onListening({ url, elsewhere, signInUrl }) {
      output.write(`${words.listening(url)}\n`)
      if (elsewhere) output.write(`${words.everywhere(elsewhere.join(', '))}\n`)
      output.write(`${words.signIn(signInUrl)}\n`)
    },
  })
}
