import { AgentError } from '@parley/protocol'
import type { Engine } from '../store/engine.ts'
import type { AgentFolders } from './agent-folders.ts'
import type { AgentVersion, ChosenAgent } from './agent-version.ts'
import type { BuiltInSolutions } from './built-in-solutions.ts'
import { solutionIdOf, SOLUTIONS } from './folder/folder-kind.ts'
import { currentAgents, findCurrent } from './version-rows.ts'
import type { Versions } from './versions.ts'

export type OpenSolutions = {
  /** What a session that begins now gets. Throws `invalid_payload` for no such solution or role. */
  choose: (id: string, role: string | null) => Promise<ChosenAgent>
  /** The version that it would get; `undefined`: there is none. Throws `agent_not_available` when it cannot be had. */
  find: (id: string) => Promise<AgentVersion | undefined>
  /** Ids of all, in order. */
  ids: () => Promise<string[]>
  isBuiltIn: (stored: string | null, digest: string | null) => boolean
}

type Options = {
  engine: Engine
  versions: Versions
  builtIn: BuiltInSolutions
  /** Those of this server, once it has started. */
  folders: () => AgentFolders | undefined
}

/** Solutions: those of folders, here or on other instances, and under their ids those that come with the server. */
export function openSolutions({ engine, versions, builtIn, folders }: Options): OpenSolutions {
  const find = async (id: string) => {
    if (!SOLUTIONS.isName(id)) return undefined
    await folders()?.fresh(id)
    const stored = SOLUTIONS.storedAs(id)
    const digest = await engine.read(() => findCurrent(stored))
    if (digest !== null) return versions.find(stored, digest)
    // Nobody gets ours because a folder of theirs is not ready.
    return (await folders()?.hasFolder(id)) ? undefined : builtIn.keep(id)
  }
  return {
    find,
    async choose(id, wanted) {
      const version = await find(id)
      if (!version) throw noSuch('solution_id', `There is no solution ${id}; GET /api/solutions lists those that are.`)
      const { settings, roles } = version.solution!
      const role = wanted === null ? roles[0] : roles.find((one) => one.id === wanted)
      if (wanted !== null && !role)
        throw noSuch(
          'biz_role_id',
          `There is no role ${wanted} in the solution ${id}; GET /api/solutions lists those that are.`,
        )
      return {
        agent: version.name,
        agent_digest: version.digest,
        biz_role_id: role?.id ?? null,
        mode: role?.settings.initial_mode ?? settings.initial_mode ?? 'executing',
      }
    },
    async ids() {
      const stored = await engine.read(currentAgents)
      const ids = stored.flatMap(({ name }) => solutionIdOf(name) ?? [])
      const hidden = await Promise.all(builtIn.ids.map(async (id) => (await folders()?.hasFolder(id)) === true))
      return [...new Set([...ids, ...builtIn.ids.filter((_id, at) => !hidden[at])])].sort()
    },
    isBuiltIn: (stored, digest) =>
      stored !== null && digest !== null && builtIn.digestOf(solutionIdOf(stored) ?? '') === digest,
  }
}

function noSuch(field: 'solution_id' | 'biz_role_id', sentence: string): AgentError {
  return new AgentError('invalid_payload', `${field}: ${sentence}`, {
    details: { errors: [{ loc: [field], msg: sentence }] },
  })
}
