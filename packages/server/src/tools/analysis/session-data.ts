import { withoutMeta } from '@parley/protocol/schemas'
import { readTurn } from '../../store/read-turn.ts'
import { runSql, type Work } from '../../store/work.ts'
import { replaceFile } from '../../workspace/files/replace-file.ts'

/** Where what the conversation's tools have answered lies, in the working directory. */
const FOLDER = 'tool-results'
const TURNS = 50
const MAX_FILES = 20

/** Analyses are no data for each other: each has a directory of its own. */
const OWN = new Set(['analyse_by_code', 'display_analyse_by_code_result'])

type DataFile = { path: string; tool: string; content: string }

/** The newest results of the session's tools as files, so that a program can work on them; returns what there is. */
export async function placeToolResults(directory: string, files: readonly DataFile[]): Promise<string[]> {
  for (const { path, content } of files) await replaceFile(directory, path, { fill: (file) => file.writeFile(content) })
  return files.map(({ path, tool }) => `${path} (from ${tool})`)
}

export function* toolResults(session_id: string): Work<DataFile[]> {
  const rows = yield* runSql<Parameters<typeof readTurn>[0]>(
    `SELECT turn_id, sequence, run_id, loop_id, status, projection FROM turns
      WHERE session_id = ? AND deprecated = 0 ORDER BY sequence DESC LIMIT ?`,
    [session_id, TURNS],
  )
  const calls = rows.map(readTurn).flatMap(({ sequence, tool_calls }) =>
    tool_calls
      .map((call, index) => ({ ...call, name: `${sequence}-${index + 1}` }))
      .filter(({ status, tool_name, result }) => status === 'done' && result != null && !OWN.has(tool_name))
      .toReversed(),
  )
  return calls.slice(0, MAX_FILES).map(({ name, tool_name, result }) => {
    const value = withoutMeta(result)
    const tool = tool_name.replaceAll(/[^\w-]/g, '_').slice(0, 64)
    return typeof value === 'string'
      ? { path: `${FOLDER}/${name}-${tool}.txt`, tool, content: value }
      : { path: `${FOLDER}/${name}-${tool}.json`, tool, content: JSON.stringify(value) }
  })
}
