import { columnText } from '@parley/protocol/schemas'
import type { Memory } from '@parley/protocol/rest'
import { z } from 'zod'
import { defineTool, type ToolDefinition } from '../tools/define-tool.ts'
import { TOOL_NAMES } from '../words/tool-names.ts'
import { findMemories, type Finder } from './find-memories.ts'
import { selectMemories } from './memory-rows.ts'

const SHOWN = 20
/** Less than a message by itself needs: whoever looks on purpose can tell what belongs there. */
const MIN_SCORE = 0.15

/** Looks on purpose, where a message by itself brings too little back. */
export function findMemoriesTool(finder: Finder): ToolDefinition {
  const { engine } = finder
  return defineTool({
    name: 'FindMemories',
    display_name: TOOL_NAMES.FindMemories,
    description: `Find what you were told by this user in earlier conversations, with the ids that CorrectMemory and ForgetMemory take. Without a query: the newest ${SHOWN}.`,
    provider: 'builtin',
    risk: 'low',
    readOnly: true,
    replay: 'safe',
    input: z.object({ query: columnText.trim().max(500).default('').describe('Words that the memory contains') }),
    async run({ query }, { session_id }) {
      const [session] = await engine.select<{ user_id: string; memory_enabled: number }>(
        'SELECT user_id, memory_enabled FROM sessions WHERE id = ?',
        [session_id],
      )
      if (session?.memory_enabled !== 1) throw new Error('Memory is switched off in this session.')
      const { user_id } = session
      const memories =
        query === ''
          ? await engine.read(() => selectMemories(NEWEST, [user_id, SHOWN]))
          : await findMemories(finder, { user_id, query, limit: SHOWN, minScore: MIN_SCORE, isOneEnough: true })
      return { memories: memories.map(shown) }
    },
  })
}

const NEWEST = 'user_id = ? AND disabled = 0 AND superseded_by IS NULL ORDER BY id DESC LIMIT ?'

function shown({ id, content, topic, created_at }: Memory) {
  return { id, content, ...(topic !== null && { topic }), noted: created_at.slice(0, 10) }
}
