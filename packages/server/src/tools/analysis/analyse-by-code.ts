import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { onedragonSchema } from '../../config/onedragon-options.ts'
import type { Outcome } from '../../core/loop-events.ts'
import { ModelInputs } from '../../context/model-inputs.ts'
import { userMessage } from '../../core/messages.ts'
import type { World } from '../../feature.ts'
import type { JsonObject, Model, ModelInput, ModelMessage } from '../../ports.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { holdGate } from '../../store/gate.ts'
import { readOptions } from '../../store/run-options.ts'
import { runSql } from '../../store/work.ts'
import { bindTool, defineTool, type ToolContext, type ToolDefinition } from '../define-tool.ts'
import { say } from '../../words/phrases.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'
import { analysisPrompt, goalMessage } from './analysis-prompt.ts'
import { type AnalysisRow, beginAnalysis, findAnalysis, keepCharts, keepMemory } from './analysis-rows.ts'
import { checkResult } from './check-result.ts'
import type { ProgramLanguage } from './languages.ts'
import { localTimestamp } from './local-timestamp.ts'
import { programTools } from './program-tools.ts'
import { placeToolResults, toolResults } from './session-data.ts'
import { recordInput } from './record-input.ts'
import { MAX_TURNS, runSubAgent } from './sub-agent.ts'

export type AnalyseOptions = Pick<World, 'engine' | 'journal' | 'clock' | 'ids' | 'modelOf' | 'config'> & {
  sandbox: Sandbox
  languages: readonly ProgramLanguage[]
  /** Holds a directory for each session, with one for each of its analyses. */
  directory: string
}

const MAX_GOAL = 32_768
/** How often the sub-agent is told that what it left cannot be shown. */
const REPAIRS = 2
/** Characters of JSON. A conversation that is longer costs more than it helps. */
const MAX_MEMORY = 1_000_000

/** Lets a sub-agent write and run a program, and keeps the charts that it leaves. */
export function analyseByCode(options: AnalyseOptions): ToolDefinition {
  const { engine, languages } = options
  /** Two at once would write over each other's files. */
  const working = new Set<number>()
  return defineTool({
    name: 'analyse_by_code',
    display_name: TOOL_NAMES.analyse_by_code,
    description: `Analyse data with a program: another agent writes it, runs it in a sandbox and repairs it until it succeeds (${languages.map(({ name }) => name).join(', ')}). It can read the files of the workspace and what tools have answered in this conversation, and sees nothing else of it, so the goal must say everything. It returns an analyse_id and what was found; show its charts with display_analyse_by_code_result. With analyse_id, an analysis goes on with a further goal.`,
    provider: 'builtin',
    replay: 'keyed',
    input: z.object({
      goal: z
        .string()
        .trim()
        .min(1)
        .max(MAX_GOAL)
        .describe('What is to be found out, from which data, and what to draw'),
      analyse_id: z.int().min(1).optional().describe('Of an earlier analysis of this conversation'),
    }),
    async run({ goal, analyse_id }, context) {
      const { session_id, tool_call_id } = context
      const row = await engine.write(function* () {
        // Of a session that is gone nothing is kept.
        if (!(yield* holdGate(session_id))) throw new Error('The session is gone.')
        if (analyse_id === undefined) return yield* beginAnalysis(session_id, tool_call_id, Date.now())
        return yield* findAnalysis(session_id, analyse_id)
      })
      if (!row) throw new Error(say('result.noAnalysis', 'en', { id: analyse_id! }))
      if (working.has(row.id)) throw new Error(say('result.analysisBusy', 'en', { id: row.id }))
      working.add(row.id)
      try {
        return { analyse_id: row.id, result: await analyse(row, { goal, context }, options) }
      } finally {
        working.delete(row.id)
      }
    },
  })
}

type Job = { goal: string; context: ToolContext }

/** The sub-agent's last answer. */
async function analyse(row: AnalysisRow, { goal, context }: Job, options: AnalyseOptions): Promise<JsonObject> {
  const { engine, clock, ids, config } = options
  const { session_id, tool_call_id: call_id, workspace: reads, signal } = context
  const { id, memory } = row
  const directory = join(options.directory, session_id, String(id))
  await mkdir(directory, { recursive: true, mode: 0o700 })
  if (JSON.stringify(memory).length > MAX_MEMORY) throw new Error(say('result.analysisLong', 'en', { id }))
  // Begun again after a restart, it goes on where it was.
  if (row.call_id !== call_id || memory.length === 0) {
    const data = await placeToolResults(directory, await engine.read(() => toolResults(session_id)))
    memory.push(userMessage(goalMessage(goal, data)))
  }
  const { sandbox, languages } = options
  const tools = programTools({ sandbox, leaseMs: config.leaseMs, languages, reads }).map((tool) =>
    bindTool(tool, config.language, {
      ...{ session_id, env: {}, notify: () => undefined },
      workspace: async () => directory,
      subject: async () => null,
    }),
  )
  const { run_id, ...model } = await modelOf(session_id, options)
  const loop_id = `analysis:${id}`
  const inputs = new ModelInputs(engine, session_id)
  const agent = {
    ...{ loop_id, tools, clock, ids, signal, system: analysisPrompt(languages), model },
    record: (asked: string, input: ModelInput) =>
      recordInput(inputs, { session_id, run_id, loop_id, model: asked, input }, options),
    keep: async (messages: readonly ModelMessage[]) =>
      engine.write(() => keepMemory({ id, call_id, memory: [...messages] }, Date.now())),
  }
  for (let repairs = 0; ; repairs++) {
    const outcome = await runSubAgent(memory, agent)
    if (outcome.status === 'failed')
      throw new Error(say('result.analysisFailed', 'en', { id, said: outcome.error.message }))
    const { problem, ...found } = await checkResult(directory)
    await engine.write(() => keepCharts(id, found, Date.now()))
    if (problem === undefined || repairs === REPAIRS || isAtItsLimit(outcome))
      return answerOf(memory, remarkOn(outcome, problem), options)
    memory.push(userMessage(`${problem} Repair the program, run it, and answer again.`))
  }
}

/** The one that the conversation's run has, and that run. */
async function modelOf(
  session_id: string,
  { engine, modelOf }: AnalyseOptions,
): Promise<{ run_id: string | null; id: string; model: Model }> {
  const [run] = await engine.read(() =>
    runSql<{ run_id: string; options: string }>(
      `SELECT id AS run_id, options FROM runs WHERE session_id = ? AND status = 'active'`,
      [session_id],
    ),
  )
  const id = readOptions(run?.options ?? '')?.model ?? null
  return { run_id: run?.run_id ?? null, id: id ?? '', model: modelOf(id) }
}

function isAtItsLimit(outcome: Outcome): boolean {
  return outcome.status === 'completed' && outcome.finish_reason === 'max_turns'
}

function remarkOn(outcome: Outcome, problem: string | undefined): string {
  return [isAtItsLimit(outcome) ? `(It was ended after ${MAX_TURNS} model calls.)` : '', problem ? `(${problem})` : '']
    .filter(Boolean)
    .join('\n')
}

/** In the form that messages have for clients of the OneDragon protocol. */
function answerOf(memory: readonly ModelMessage[], remark: string, { ids, config }: AnalyseOptions): JsonObject {
  const last = memory.findLast((message) => message.role === 'assistant')
  const said = last?.content.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
  const { name, timeZone } = onedragonSchema.parse(config.faces.onedragon || {})
  return {
    id: ids.next('msg'),
    name,
    role: 'assistant',
    content: [{ type: 'text', text: [said, remark].filter(Boolean).join('\n') }],
    metadata: null,
    timestamp: localTimestamp(Date.now(), timeZone),
  }
}
