import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readBody, readQuery } from '../http/ignored-fields.ts'
import type { ToolOwner } from '../tools/catalog.ts'
import type { Skills } from './skills.ts'
import { skillUploadSchema } from './upload.ts'
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

/** [W12.7] Skills: those that are configured, and those of a session. */
export function skillRoutes(app: FastifyInstance, { skills, ownerOf, callsOf }: SkillRoutesOptions): void {
  app.get('/api/skills', needs('account'), async () => skills.list())
  app.get('/api/skills/installed', needs('account'), async () => skills.list())

  app.get('/api/skills/search', needs('account'), async (request) => {
    const { q, limit } = readQuery(request, searchSchema)
    return { results: await skills.search(q, limit) }
  })

  app.get<{ Params: { '*': string } }>('/api/skills/*', needs('account'), async (request) =>
    skills.detail(request.params['*']),
  )

  app.get<OneSession>(`${ONE}/skills`, needs('account'), async (request) => {
    return skills.listOf(await ownerOf(request, request.params.session_id))
  })

  // A doubled colon is a plain one to the router.
  app.post<OneSession>(`${ONE}/skills::upload`, needs('account'), async (request) => {
    const owner = await ownerOf(request, request.params.session_id)
    return skills.upload(owner, readBody(request, skillUploadSchema))
  })

  app.post<OneSession>(`${ONE}/skills::resync`, needs('account'), async (request) => {
    const found = await skills.resync(await ownerOf(request, request.params.session_id))
    return { detail: `${found.length} skills`, skills: found }
  })

  app.post<OneSession>(`${ONE}/skills/install`, needs('account'), async (request) => {
    const owner = await ownerOf(request, request.params.session_id)
    return skills.install(readBody(request, installSchema).skill_id, owner)
  })

  if (!callsOf) return
  app.get<OneSession>(`${ONE}/skill-stats`, needs('account'), async (request) => {
    const { session_id } = request.params
    const owner = await ownerOf(request, session_id)
    return { session_id, loaded: await skills.stats(owner, await callsOf(request, session_id)) }
  })
}
