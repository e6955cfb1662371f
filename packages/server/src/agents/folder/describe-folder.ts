import { agentSettingsSchema } from '../agent-settings.ts'
import { describeSolution } from './describe-solution.ts'
import {
  type DescribedFolder,
  FolderReader,
  INSTRUCTIONS,
  misnamed,
  PART_FILES,
  PART_FOLDERS,
  unknownEntries,
} from './folder-parts.ts'
import { solutionIdOf } from './folder-kind.ts'
import type { AgentFile } from './read-folder.ts'

const SETTINGS = 'agent.yaml'
const FILES = [SETTINGS, ...PART_FILES]

/** The same for a folder that was just read and for one that came from the database, by its name there. Throws a `FolderError`. */
export function describeFolder(stored: string, files: readonly AgentFile[]): DescribedFolder {
  const id = solutionIdOf(stored)
  return id === null ? describeAgent(files) : describeSolution(id, files)
}

function describeAgent(files: readonly AgentFile[]): DescribedFolder {
  const reader = new FolderReader(files)
  const paths = files.map(({ path }) => path)
  if (!reader.has(INSTRUCTIONS) && !reader.has(SETTINGS))
    reader.problems.push(`${INSTRUCTIONS}: is missing; an agent has at least that, or an ${SETTINGS}`)
  reader.problems.push(...paths.filter((path) => !path.includes('/')).flatMap((path) => misnamed(path, FILES)))
  const settings = reader.yaml(SETTINGS, agentSettingsSchema, { elsewhere: ELSEWHERE }) ?? {}
  const parts = reader.parts()
  reader.demandGood()
  const known = [...FILES, ...PART_FOLDERS.map((folder) => `${folder}/`)]
  return { ...parts, settings, settingsFile: SETTINGS, solution: null, warnings: unknownEntries(paths, known, 'agent') }
}

/** What may run is reviewed by other people than what the model is told: it has a file of its own. */
const ELSEWHERE = {
  policy: 'stands in a file of its own, policy.yaml.',
  mcp_servers: 'stands in a file of its own, mcp.json.',
  instructions: 'stands in a file of its own, instructions.md.',
  skills: 'is a folder beside this file.',
}
