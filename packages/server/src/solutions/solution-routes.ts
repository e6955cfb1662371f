import { AgentError } from '@parley/protocol'
import type { RoleList, Solution, SolutionList } from '@parley/protocol/rest'
import { roleListSchema, solutionListSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { AgentVersion } from '../agents/agent-version.ts'
import { solutionIdOf } from '../agents/folder/folder-kind.ts'
import type { OpenAgents } from '../agents/open-agents.ts'
import { readQuery } from '../http/ignored-fields.ts'
import { callerOf, needs } from '../http/signed-in.ts'
import { readShownFile } from './shown-file.ts'
import { toSolution } from './solution-record.ts'

export type SolutionRoutesOptions = {
  agents: OpenAgents
  isOwner: (user_id: string) => Promise<boolean>
}

type One = { Params: { solution_id: string; '*'?: string } }

const ALL = '/api/solutions'
const ONE = `${ALL}/:solution_id`

const rolesQuery = z.object({ user_id: z.string().optional() })

/** [W12.7] Solutions, their roles and their files, as new sessions get them. */
export function solutionRoutes(app: FastifyInstance, { agents, isOwner }: SolutionRoutesOptions): void {
  const demand = async (id: string): Promise<AgentVersion> => {
    const version = await agents.solutions.find(id)
    if (!version) throw new AgentError('not_found', `There is no solution ${id}; GET ${ALL} lists those that are.`)
    return version
  }

  const listing = needs('account', {
    says: ['Solutions with their roles', '列出解决方案及其角色'],
    answer: solutionListSchema,
  })
  app.get(ALL, listing, async (request): Promise<SolutionList> => {
    const items = await listSolutions(agents)
    if (!(await isOwner(callerOf(request).user_id))) return { items }
    const problems = [...agents.problems()].flatMap(([stored, problem]) => {
      const id = solutionIdOf(stored)
      return id === null ? [] : [[id, problem]]
    })
    return { items, ...(problems.length > 0 && { problems: Object.fromEntries(problems) as Record<string, string> }) }
  })

  const roles = needs('account', {
    says: ['The roles of a solution', '查看解决方案的角色'],
    query: rolesQuery,
    answer: roleListSchema,
  })
  app.get<One>(`${ONE}/biz-roles`, roles, async (request): Promise<RoleList> => {
    const { solution_id } = request.params
    const caller = callerOf(request)
    const { user_id = caller.user_id } = readQuery(request, rolesQuery)
    if (user_id !== caller.user_id && !(await isOwner(caller.user_id)))
      throw new AgentError('forbidden', 'Only the owner asks for the roles of somebody else.')
    const { roles } = toSolution(await demand(solution_id))!
    return { solution_id, user_id, items: roles }
  })

  const reading = needs('account', {
    says: ['A text or JSON file of a solution’s folder', '读取解决方案目录中的文件'],
    gives: 'text/plain',
    tailIsPath: true,
  })
  app.get<One>(`${ONE}/files/*`, reading, async (request, reply) => {
    const { solution_id, '*': path = '' } = request.params
    const { text, type } = await readShownFile(await demand(solution_id), path)
    // Somebody else's page must not run as one of this server's.
    void reply
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; sandbox")
    return reply.type(type).send(text)
  })
}

/** One that cannot be had is no reason to show none. */
async function listSolutions({ solutions }: OpenAgents): Promise<Solution[]> {
  const ids = await solutions.ids()
  const found = await Promise.all(ids.map((id) => solutions.find(id).catch(() => undefined)))
  return found.flatMap((version) => (version ? (toSolution(version) ?? []) : []))
}
