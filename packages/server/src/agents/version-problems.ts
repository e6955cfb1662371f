import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentVersion } from './agent-version.ts'
import { fileOf, inAllRoles } from './in-role.ts'

export type VersionProblemsOptions = {
  hasModel: (id: string) => boolean
  /** Of the agent's own files. */
  toolProblems: (agent: AgentVersion) => Promise<readonly string[]>
}

/** What this server cannot do of what a version wants: a line each, which begins with the path in the agent's folder. */
export async function versionProblems(
  agent: AgentVersion,
  { hasModel, toolProblems }: VersionProblemsOptions,
): Promise<string[]> {
  const problems = [...(await toolProblems(agent))]
  for (const [file, wanted] of new Map(inAllRoles(agent).map((one) => [fileOf(one, 'model'), one.settings.model])))
    if (wanted !== undefined && !hasModel(wanted))
      problems.push(`${file}:${await lineOfModel(agent, file)}: model: this server has no model ${wanted}`)
  return problems
}

async function lineOfModel({ directory }: AgentVersion, file: string): Promise<number> {
  const lines = (await readFile(join(directory, file), 'utf8')).split('\n')
  return Math.max(1, lines.findIndex((line) => /^["']?model["']?\s*:/.test(line)) + 1)
}
