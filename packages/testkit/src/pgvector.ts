import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from './node-process.ts'

/** Without its second compiler: that one takes longer over PostgreSQL than the tests do. */
const FLAGS = ['--liftoff-only']

/**
 * A PostgreSQL that has the extension `vector`, which the one from npm lacks: PGlite, compiled to WebAssembly, in a process and
 * on a port of its own. All its connections are one session: `LISTEN` tells them nothing.
 */
export async function startPgvector({ flags = FLAGS } = {}): Promise<{ url: string } & AsyncDisposable> {
  const file = fileURLToPath(new URL(`pglite-server${extname(import.meta.url)}`, import.meta.url))
  const server = startProgram(process.execPath, [...flags, file])
  const [url] = await server.line(/^postgres:\S+$/)
  return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
