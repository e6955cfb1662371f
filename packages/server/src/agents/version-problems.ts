import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentVersion } from './agent-version.ts'

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
  const { model } = agent.settings
  const problems = [...(await toolProblems(agent))]
  if (model !== undefined && !hasModel(model))
    problems.push(`agent.yaml:${await lineOfModel(agent)}: model: this server has no model ${model}`)
  return problems
}

async function lineOfModel({ directory }: AgentVersion): Promise<number> {
  const lines = (await readFile(join(directory, 'agent.yaml'), 'utf8')).split('\n')
  return Math.max(1, lines.findIndex((line) => /^["']?model["']?\s*:/.test(line)) + 1)
}
