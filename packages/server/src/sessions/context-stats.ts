import { ROOT_LOOP } from '@parley/protocol'
import type { Preamble } from '../context/history.ts'
import type { Meter } from '../context/compaction/meter.ts'
import { isOwnTokenizer } from '../context/compaction/token-counter.ts'
import { contextOf, ofLoop } from '../context/stored-turns.ts'
import { measuredIn } from '../runs/restore/restore.ts'
import { countCompactions } from '../store/compaction-rows.ts'
import type { Engine } from '../store/engine.ts'
import type { Journal } from '../store/journal.ts'
import { demandSession, type SessionRow } from '../store/session-record.ts'
import { modelNotAvailable } from './model-not-available.ts'
import { readContext } from './read-context.ts'
import { modelFor, type ModelChoice } from './send.ts'
import type { Sessions } from './service.ts'

export type StatsOptions = ModelChoice & {
  engine: Engine
  journal: Journal
  meter: Meter
  preamble: (session: SessionRow) => Promise<Preamble>
}

/** [W12.2] What the next call of the main agent's model would be given. */
export function contextStats(options: StatsOptions): Sessions['contextStats'] {
  const { engine, meter, preamble } = options
  return async ({ user_id }, session_id) => {
    const session = await engine.read(() => demandSession(engine, user_id, session_id))
    const model = await modelFor(session, null, options)
    const turns = ofLoop(await readContext(options, session_id), ROOT_LOOP)
    const { system, tools } = await preamble(session)
    const before = await meter.counter.ofPreamble({ system, tools })
    const loop = { messages: contextOf(turns), measured: measuredIn(turns, 0) }
    const { tokens, estimated } = await meter.measure(loop, { system, tools, model })
    const context_window = await meter.windowOf(model)
    return {
      model,
      context_window,
      used_tokens: tokens,
      system_prompt_tokens: before.system,
      tools_tokens: before.tools,
      messages_tokens: Math.max(0, tokens - before.system - before.tools),
      usage_ratio: context_window === 0 ? 0 : tokens / context_window,
      compaction_count: await engine.read(() => countCompactions(session_id)),
      estimated,
    }
  }
}

export function countTokens({ meter, hasModel, defaultModel }: StatsOptions): Sessions['tokens'] {
  return async (named, texts) => {
    if (named !== null && !(await hasModel(named))) throw modelNotAvailable(named)
    const model = named ?? defaultModel()
    return { model, counts: await meter.counter.ofTexts(texts), estimated: !isOwnTokenizer(model) }
  }
}
