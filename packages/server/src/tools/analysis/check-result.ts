import { parseBoundedJson } from '@parley/protocol/wire'
import type { JsonObject, JsonValue } from '../../ports.ts'
import { openFile } from '../../workspace/files/open-file.ts'
import type { Charts } from './analysis-rows.ts'

/** Where a program leaves what it found. */
export const RESULT_FILE = 'result.json'

export const MAX_RESULT_BYTES = 5 * 1024 * 1024
const MAX_CHARTS = 20
/** Lists and objects inside each other; no chart has more. */
const MAX_DEPTH = 32

/** `problem`: what is wrong, for whoever wrote the program. */
export type CheckedResult = Charts & { problem?: string }

/** What a program has left in its directory. Bytes of a stranger: read up to a size, to a depth, as data alone. */
export async function checkResult(directory: string): Promise<CheckedResult> {
  try {
    await using file = await openFile(directory, RESULT_FILE)
    if (file.stats.size > MAX_RESULT_BYTES) return tooLarge(file.stats.size)
    // It may have grown since.
    const bytes = Buffer.alloc(MAX_RESULT_BYTES + 1)
    const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, 0)
    return bytesRead > MAX_RESULT_BYTES ? tooLarge(bytesRead) : chartsIn(bytes.toString('utf8', 0, bytesRead))
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'not_found' && code !== 'invalid_path') throw error
    return { state: 'none', problem: `There is no file ${RESULT_FILE} in the working directory.` }
  }
}

function chartsIn(text: string): CheckedResult {
  const bad = (problem: string): CheckedResult => ({ state: 'bad', problem: `${RESULT_FILE}: ${problem}` })
  const value = parseBoundedJson(text, MAX_DEPTH) as JsonValue | undefined
  if (value === undefined) return bad(`it is not valid JSON, or nests deeper than ${MAX_DEPTH} levels.`)
  const charts = isObject(value) ? value['echarts_list'] : undefined
  if (!Array.isArray(charts)) return bad('it must be an object with echarts_list, a list of ECharts options.')
  if (charts.length > MAX_CHARTS) return bad(`echarts_list holds ${charts.length} charts; at most ${MAX_CHARTS}.`)
  const misfit = charts.findIndex((chart) => !isObject(chart))
  if (misfit >= 0) return bad(`echarts_list[${misfit}] is not an object.`)
  return { state: 'ready', charts: charts as JsonObject[] }
}

function tooLarge(bytes: number): CheckedResult {
  const problem = `${RESULT_FILE} has ${bytes} bytes; at most ${MAX_RESULT_BYTES}. Aggregate the data.`
  return { state: 'bad', problem }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
