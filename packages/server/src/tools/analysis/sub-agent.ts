import type { LoopEnv } from '../../core/loop-env.ts'
import type { Outcome } from '../../core/loop-events.ts'
import { newLoop } from '../../core/loop-state.ts'
import { runLoop } from '../../core/run-loop.ts'
import type { Clock, Ids, Model, ModelInput, ModelMessage, Tool } from '../../ports.ts'

export type SubAgentOptions = {
  loop_id: string
  model: { id: string; model: Model }
  system: string
  tools: readonly Tool[]
  clock: Clock
  ids: Ids
  signal: AbortSignal
  /** Told before every model call what there is so far. What it resolves after is on record. */
  keep: (memory: readonly ModelMessage[]) => Promise<void>
  /** Told what a model is about to be given. */
  record: (model: string, input: ModelInput) => Promise<void>
}

/** Model calls that one call of the tool may take. */
export const MAX_TURNS = 30

/**
 * The loop of every run, on a conversation of its own: nothing of it is streamed. Adds to `memory` what was said. Its
 * tools touch only its own directory, so what allowed the analysis allows them.
 */
export async function runSubAgent(memory: ModelMessage[], options: SubAgentOptions): Promise<Outcome> {
  const { loop_id, signal, keep, record } = options
  const loop = newLoop({
    loop_id,
    parent_fork_tool_call_id: null,
    description: '',
    depth: 0,
    messages: memory,
  })
  const events = runLoop(loop, environment(options))
  let next = await events.next()
  while (!next.done) {
    if (next.value.type === 'model:call') await keep(loop.messages)
    if (next.value.type === 'model:input') await record(next.value.model, next.value.input)
    next = await events.next()
  }
  signal.throwIfAborted()
  await keep(loop.messages)
  return next.value
}

function environment({ model, system, tools, clock, ids, signal }: SubAgentOptions): LoopEnv {
  return {
    ...{ model, clock, ids, signal },
    findModel: () => undefined,
    context: { assemble: async (call) => ({ system, ...call }) },
    tools: {
      list: () => tools,
      find: (name) => tools.find((tool) => tool.name === name),
      judge: () => ({ type: 'allow' }),
    },
    maxTurns: MAX_TURNS,
    maxDepth: 0,
    parallelCalls: 4,
    consentMs: 0,
    decisionNow: () => 0,
    headless: true,
    asks: false,
    output: null,
    inbox: {
      takeMessages: () => [],
      answerTo: () => undefined,
      effectOf: () => undefined,
      answered: async () => false,
    },
    isLeaving: () => false,
    isShutdown: () => false,
    isDraining: () => false,
    mayAct: async () => true,
    texts: { maxTurns: () => '', cut: '', askDisplayName: '', agentDisplayName: '', submitDisplayName: '' },
  }
}
