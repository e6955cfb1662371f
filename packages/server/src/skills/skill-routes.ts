import { skillSummarySchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readBody, readQuery } from '../http/ignored-fields.ts'
import type { ToolOwner } from '../tools/catalog.ts'
import { type Skills, skillDetailSchema, uploadedSkillSchema } from './skills.ts'
import { skillUploadSchema } from './upload.ts'
import { readerOf } from '../http/reader.ts'
import { needs } from '../http/signed-in.ts'

export type SkillRoutesOptions = {
  skills: Skills
  /** Throws when the caller has no such session. */
  ownerOf: (request: FastifyRequest, session_id: string) => Promise<ToolOwner>
  /** How often each tool of a session was called, by its name. Without it there is no `skill-stats`. */
  callsOf?: (request: FastifyRequest, session_id: string) => Promise<Record<string, number>>
}

type OneSession = { Params: { session_id: string } }

const ONE = '/api/sessions/:session_id'

const searchSchema = z.object({ q: z.string().min(1), limit: z.coerce.number().int().min(1).max(50).default(10) })
const installSchema = z.object({ skill_id: z.string().min(1) })
const listSchema = z.array(skillSummarySchema)
const foundSchema = z.object({ results: z.array(z.object({ ...skillSummarySchema.shape, score: z.number() })) })
const statsSchema = z.object({
  session_id: z.string(),
  loaded: z.array(z.object({ id: z.string(), name: z.string(), tool_count: z.int(), calls: z.int() })),
})

/** [W12.7] Skills: those that are configured, and those of a session. */
export function skillRoutes(app: FastifyInstance, { skills, ownerOf, callsOf }: SkillRoutesOptions): void {
  const listing = needs('account', {
    says: ['The skills of every session', '列出所有会话可用的技能'],
    answer: listSchema,
  })
  app.get('/api/skills', listing, async (request) => skills.list(languageOf(request)))
  app.get('/api/skills/installed', listing, async (request) => skills.list(languageOf(request)))

  const searching = needs('account', {
    says: ['Finds skills by words', '按关键词搜索技能'],
    query: searchSchema,
    answer: foundSchema,
  })
  app.get('/api/skills/search', searching, async (request) => {
    const { q, limit } = readQuery(request, searchSchema)
    return { results: await skills.search(q, limit, languageOf(request)) }
  })

  const reading = needs('account', { says: ['One skill, with its text', '查看技能详情'], answer: skillDetailSchema })
  app.get<{ Params: { '*': string } }>('/api/skills/*', reading, async (request) =>
    skills.detail(request.params['*'], languageOf(request)),
  )

  const listingOf = needs('account', { says: ['The skills of a session', '列出会话的技能'], answer: listSchema })
  app.get<OneSession>(`${ONE}/skills`, listingOf, async (request) => {
    return skills.listOf(await ownerOf(request, request.params.session_id), languageOf(request))
  })

  const uploading = needs('account', {
    says: ['Gives a session a skill of its own', '向会话上传技能'],
    body: skillUploadSchema,
    answer: uploadedSkillSchema,
  })
  // A doubled colon is a plain one to the router.
  app.post<OneSession>(`${ONE}/skills::upload`, uploading, async (request) => {
    const owner = await ownerOf(request, request.params.session_id)
    return skills.upload(owner, readBody(request, skillUploadSchema))
  })

  const resyncing = needs('account', {
    says: ['Reads a session’s skills again', '重新读取会话的技能'],
    answer: z.object({ detail: z.string(), skills: listSchema }),
  })
  app.post<OneSession>(`${ONE}/skills::resync`, resyncing, async (request) => {
    const found = await skills.resync(await ownerOf(request, request.params.session_id), languageOf(request))
    return { detail: `${found.length} skills`, skills: found }
  })

  const installing = needs('account', {
    says: ['Names a configured skill, which every session has', '安装已配置的技能（所有会话均已可用）'],
    body: installSchema,
    answer: skillSummarySchema,
  })
  app.post<OneSession>(`${ONE}/skills/install`, installing, async (request) => {
    const owner = await ownerOf(request, request.params.session_id)
    return skills.install(readBody(request, installSchema).skill_id, owner, languageOf(request))
  })

  if (!callsOf) return
  const counting = needs('account', { says: ['How often each skill was used', '技能的使用次数'], answer: statsSchema })
  app.get<OneSession>(`${ONE}/skill-stats`, counting, async (request) => {
    const { session_id } = request.params
    const owner = await ownerOf(request, session_id)
    return { session_id, loaded: await skills.stats(owner, await callsOf(request, session_id)) }
  })
}

function languageOf(request: FastifyRequest) {
  return readerOf(request).language
}
