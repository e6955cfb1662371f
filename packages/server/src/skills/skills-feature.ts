import { join } from 'node:path'
import { agentOf } from '../agents/agent-version.ts'
import type { Feature, World } from '../feature.ts'
import { principalOf } from '../http/signed-in.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { namesOf } from '../tools/catalog.ts'
import { listedTool } from '../tools/listed-tool.ts'
import { PythonTools } from './skill-functions.ts'
import { skillRoutes } from './skill-routes.ts'
import { SkillServices } from './skill-services.ts'
import { Skills, type SkillsOptions } from './skills.ts'

export type SkillsFeature = Feature & { skills: Skills }

/** Folders with a `SKILL.md`: configured for all sessions, or uploaded to one. */
export function skillsFeature(
  { config, clock, logger, workspaces, agents, egress, tell }: World,
  { sandbox, isTaken }: { sandbox: Sandbox } & Pick<SkillsOptions, 'isTaken'>,
): SkillsFeature {
  const { dataDir, leaseMs, language, skillDirs } = config
  const skills = new Skills({
    directories: skillDirs,
    root: join(dataDir, 'skills'),
    language,
    workspace: (session_id) => workspaces.make(session_id),
    python: new PythonTools({ sandbox, leaseMs, directory: dataDir }),
    services: new SkillServices(egress),
    isTaken,
    now: () => clock.elapsed(),
    onWarning: (message) => logger.warn(message),
    onChanged: (session_id, list) => tell(session_id, 'skills:changed', { skills: list }),
  })
  return {
    name: 'skills',
    skills,
    tools: {
      of: ({ session_id }) => skills.knownOf(session_id),
      refresh: (owner) => skills.skillsOf(owner),
      listed: async (reader) => (await skills.configuredTools()).map((tool) => listedTool(tool, reader)),
      names: (session_id, called) => namesOf(skills.knownOf(session_id)).get(called),
    },
    routes: (scope, sessions) =>
      skillRoutes(scope, {
        skills,
        async ownerOf(request, session_id) {
          const session = await sessions.get(principalOf(request), session_id)
          return { session_id, agent: await agents.of(agentOf(session)) }
        },
        async callsOf(request, id) {
          const turns = await sessions.messages(principalOf(request), id)
          const names = turns.flatMap(({ tool_calls }) => tool_calls.map(({ tool_name }) => tool_name))
          return Object.fromEntries(
            [...new Set(names)].map((name) => [name, names.filter((one) => one === name).length]),
          )
        },
      }),
    dropSession: (session_id) => skills.removeOf(session_id),
  }
}
