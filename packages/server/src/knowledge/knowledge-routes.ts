import { AgentError } from '@parley/protocol'
import {
  collectionNameSchema,
  collectionSchema,
  documentChangeSchema,
  documentInputSchema,
  documentsQuerySchema,
  fileQuerySchema,
  knowledgeSearchSchema,
} from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readBody, readQuery } from '../http/ignored-fields.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Knowledge } from './knowledge.ts'

/** A document of a megabyte, however it is escaped. */
const DOCUMENT_BYTES = 8 * 1024 * 1024
const FILE_BYTES = 20 * 1024 * 1024

type OneDocument = { Params: { id: string } }
type OneCollection = { Params: { name: string } }

/** [S15.5] Of the account: visitors only retrieve. The same under every prefix that it is mounted at. */
export function knowledgeRoutes(app: FastifyInstance, prefix: string, knowledge: Knowledge): void {
  const ofAccount = needs('account')
  const account = (request: FastifyRequest) => principalOf(request).user_id

  app.post(prefix, { ...ofAccount, bodyLimit: DOCUMENT_BYTES }, async (request, reply) => {
    const document = await knowledge.add(account(request), readBody(request, documentInputSchema))
    return reply.status(201).send(document)
  })
  app.get(prefix, ofAccount, (request) => knowledge.list(account(request), readQuery(request, documentsQuerySchema)))
  app.get(`${prefix}/categories`, ofAccount, async (request) => {
    return { categories: await knowledge.categories(account(request)) }
  })
  app.post(`${prefix}/search`, ofAccount, async (request) => {
    return { results: await knowledge.search(account(request), readBody(request, knowledgeSearchSchema)) }
  })
  app.get<OneDocument>(`${prefix}/:id`, ofAccount, (request) => knowledge.get(account(request), request.params.id))
  app.patch<OneDocument>(`${prefix}/:id`, { ...ofAccount, bodyLimit: DOCUMENT_BYTES }, (request) =>
    knowledge.change(account(request), request.params.id, readBody(request, documentChangeSchema)),
  )
  app.delete<OneDocument>(`${prefix}/:id`, ofAccount, async (request, reply) => {
    await knowledge.delete(account(request), request.params.id)
    return reply.status(204).send()
  })

  app.get(`${prefix}/collections`, ofAccount, async (request) => {
    return { collections: await knowledge.collections(account(request)) }
  })
  app.put<OneCollection>(`${prefix}/collections/:name`, ofAccount, (request) =>
    knowledge.setCollection(account(request), nameIn(request.params), readBody(request, collectionSchema)),
  )
  app.delete<OneCollection>(`${prefix}/collections/:name`, ofAccount, async (request, reply) => {
    await knowledge.deleteCollection(account(request), request.params.name)
    return reply.status(204).send()
  })

  void app.register(async (files) => fileRoute(files, prefix, knowledge))
}

/** The body is the file, whatever its type says: what it is, its reader finds out. */
function fileRoute(app: FastifyInstance, prefix: string, knowledge: Knowledge): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: FILE_BYTES },
    async (_request: unknown, body: Buffer) => body,
  )
  app.put(`${prefix}/files`, { ...needs('account'), bodyLimit: FILE_BYTES }, async (request, reply) => {
    const bytes = request.body as Buffer | undefined
    if (!bytes || bytes.length === 0) throw new AgentError('invalid_payload', 'The body is empty; it must be the file.')
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const type = request.headers['content-type']
    const file = readQuery(request, fileQuerySchema)
    return knowledge.addFile(principalOf(request).user_id, file, { bytes, type, signal: gone.signal })
  })
}

function nameIn({ name }: { name: string }): string {
  const parsed = collectionNameSchema.safeParse(name)
  if (!parsed.success) throw new AgentError('invalid_payload', `name: ${parsed.error.issues[0]?.message ?? ''}`)
  return parsed.data
}
