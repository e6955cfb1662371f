import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'

// Where `packages/` is, seen from this file and from the bundle.
const FILE = new URL('../../../chatkit/bundle/embed.js', import.meta.url)
const BUNDLED = new URL('../../chatkit/bundle/embed.js', import.meta.url)

/** `<script src="…/embed.js">`: the chat for any page. Open to everybody; it holds no secret. */
export function embedScript(app: FastifyInstance): void {
  app.get('/embed.js', async (request, reply) => {
    const script = await readFile(FILE).catch(() => readFile(BUNDLED).catch(() => null))
    if (!script)
      return reply.code(404).send({ detail: 'The script is not built. Run: npm run build', code: 'not_found' })
    const etag = `"${createHash('sha256').update(script).digest('hex').slice(0, 32)}"`
    void reply
      .header('etag', etag)
      .header('cache-control', 'public, max-age=300')
      .header('cross-origin-resource-policy', 'cross-origin')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('text/javascript; charset=utf-8').send(script)
  })
}
