import { AgentError } from '@parley/protocol'
import {
  collectionNameSchema,
  collectionSchema,
  documentChangeSchema,
  documentInputSchema,
  documentsPageSchema,
  documentsQuerySchema,
  fileQuerySchema,
  importedFileSchema,
  knowledgeCollectionSchema,
  knowledgeDocumentSchema,
  knowledgeResultSchema,
  knowledgeSearchSchema,
} from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readBody, readQuery } from '../http/ignored-fields.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Knowledge } from './knowledge.ts'

/** A document of a megabyte, however it is escaped. */
const DOCUMENT_BYTES = 8 * 1024 * 1024
const FILE_BYTES = 20 * 1024 * 1024

type OneDocument = { Params: { id: string } }
type OneCollection = { Params: { name: string } }

const categoriesSchema = z.object({
  categories: z.array(z.object({ name: z.string(), documentCount: z.int() })),
})

/** [S15.5] Of the account: visitors only retrieve. The same under every prefix that it is mounted at. */
export function knowledgeRoutes(app: FastifyInstance, prefix: string, knowledge: Knowledge): void {
  const account = (request: FastifyRequest) => principalOf(request).user_id

  const adding = needs('account', {
    says: ['Adds a document', '添加文档'],
    body: documentInputSchema,
    answer: knowledgeDocumentSchema,
    status: 201,
  })
  app.post(prefix, { ...adding, bodyLimit: DOCUMENT_BYTES }, async (request, reply) => {
    const document = await knowledge.add(account(request), readBody(request, documentInputSchema))
    return reply.status(201).send(document)
  })

  const listing = needs('account', {
    says: ['Documents, without their texts', '列出文档（不含正文）'],
    query: documentsQuerySchema,
    answer: documentsPageSchema,
  })
  app.get(prefix, listing, (request) => knowledge.list(account(request), readQuery(request, documentsQuerySchema)))

  const counting = needs('account', {
    says: ['Categories, and how many documents each has', '列出分类及文档数'],
    answer: categoriesSchema,
  })
  app.get(`${prefix}/categories`, counting, async (request) => {
    return { categories: await knowledge.categories(account(request)) }
  })

  const searching = needs('account', {
    says: ['Finds documents, each with its best passage', '检索文档及最相关段落'],
    body: knowledgeSearchSchema,
    answer: z.object({ results: z.array(knowledgeResultSchema) }),
  })
  app.post(`${prefix}/search`, searching, async (request) => {
    return { results: await knowledge.search(account(request), readBody(request, knowledgeSearchSchema)) }
  })

  const reading = needs('account', { says: ['One document', '查看文档'], answer: knowledgeDocumentSchema })
  app.get<OneDocument>(`${prefix}/:id`, reading, (request) => knowledge.get(account(request), request.params.id))

  const changing = needs('account', {
    says: ['Changes a document', '修改文档'],
    body: documentChangeSchema,
    answer: knowledgeDocumentSchema,
  })
  app.patch<OneDocument>(`${prefix}/:id`, { ...changing, bodyLimit: DOCUMENT_BYTES }, (request) =>
    knowledge.change(account(request), request.params.id, readBody(request, documentChangeSchema)),
  )

  const deleting = needs('account', { says: ['Deletes a document', '删除文档'] })
  app.delete<OneDocument>(`${prefix}/:id`, deleting, async (request, reply) => {
    await knowledge.delete(account(request), request.params.id)
    return reply.status(204).send()
  })

  const collecting = needs('account', {
    says: ['Collections, and who may find what is in them', '列出文档集及其可见范围'],
    answer: z.object({ collections: z.array(knowledgeCollectionSchema) }),
  })
  app.get(`${prefix}/collections`, collecting, async (request) => {
    return { collections: await knowledge.collections(account(request)) }
  })

  const setting = needs('account', {
    says: ['Makes a collection, or says who may find what is in it', '创建文档集或设置其可见范围'],
    body: collectionSchema,
    answer: knowledgeCollectionSchema,
  })
  app.put<OneCollection>(`${prefix}/collections/:name`, setting, (request) =>
    knowledge.setCollection(account(request), nameIn(request.params), readBody(request, collectionSchema)),
  )

  const dropping = needs('account', { says: ['Deletes a collection that is empty', '删除空文档集'] })
  app.delete<OneCollection>(`${prefix}/collections/:name`, dropping, async (request, reply) => {
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
  const importing = needs('account', {
    says: ['Imports a file: the body is the file', '导入文件：请求体即文件内容'],
    takes: 'application/octet-stream',
    query: fileQuerySchema,
    answer: importedFileSchema,
  })
  app.put(`${prefix}/files`, { ...importing, bodyLimit: FILE_BYTES }, async (request, reply) => {
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
