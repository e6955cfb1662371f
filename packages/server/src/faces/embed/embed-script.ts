import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

// In a clone where it was built, seen from the bundle and from this file; in an installed package beside the bundle.
const FOLDERS = ['../../chatkit/bundle/', '../../../../chatkit/bundle/', '../embed/'].map(
  (path) => new URL(path, import.meta.url),
)
/** What the script gets at first use, and what `chat-page.ts` loads beside it. */
const PARTS: ReadonlySet<string> = new Set(
  ['highlight', 'math', 'math-font', 'charts', 'mermaid', 'frame'].map((name) => `${name}.js`),
)

type Script = { changedAt: number; etag: string; plain: Buffer; packed: Buffer }

/** `<script src="…/embed.js">`: the chat for any page, and its parts in `embed/`. Open to everybody; no secret in it. */
export function embedScript(app: FastifyInstance): void {
  const scripts = new Map<string, Promise<Script | null>>()

  const serve = async (name: string, request: FastifyRequest, reply: FastifyReply) => {
    const script = await findScript(name, scripts)
    if (!script)
      return reply.code(404).send({ detail: 'The script is not built. Run: npm run build', code: 'not_found' })
    const { etag, plain, packed } = script
    void reply
      .header('etag', etag)
      .header('cache-control', 'public, max-age=300')
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '))
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    const isPacked = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    if (isPacked) void reply.header('content-encoding', 'gzip')
    return reply.type('text/javascript; charset=utf-8').send(isPacked ? packed : plain)
  }

  app.get('/embed.js', (request, reply) => serve('embed.js', request, reply))
  app.get<{ Params: { name: string } }>('/embed/:name', (request, reply) => {
    const { name } = request.params
    if (PARTS.has(name)) return serve(name, request, reply)
    return reply.code(404).send({ detail: `The chat has no part ${name}.`, code: 'not_found' })
  })
}

/** Read and packed once, and again when a new build has changed the file. */
async function findScript(name: string, scripts: Map<string, Promise<Script | null>>): Promise<Script | null> {
  const file = await locate(name)
  if (!file) return null
  const known = await scripts.get(name)
  if (known?.changedAt === file.changedAt) return known
  const read = readScript(file).catch(() => null)
  scripts.set(name, read)
  return read
}

async function locate(name: string): Promise<{ url: URL; changedAt: number } | null> {
  for (const folder of FOLDERS) {
    const url = new URL(name, folder)
    // An installed kit beside us has parts too, of its own version, but no script.
    const [script, found] = await Promise.all(
      ['embed.js', name].map((file) => stat(new URL(file, folder)).catch(() => null)),
    )
    if (script && found) return { url, changedAt: found.mtimeMs }
  }
  return null
}

async function readScript({ url, changedAt }: { url: URL; changedAt: number }): Promise<Script> {
  const plain = await readFile(url)
  const packed = await promisify(gzip)(plain)
  const etag = `"${createHash('sha256').update(plain).digest('hex').slice(0, 32)}"`
  return { changedAt, etag, plain, packed }
}
