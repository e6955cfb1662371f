import type { Task, TurnProjection } from '@parley/protocol'
import { BlockType } from '../../model/block-type.ts'
import type { ChatMessage } from '../../model/chat-message.ts'

const TASK_TOOLS = new Set(['TaskCreate', 'TaskUpdate', 'TaskList'])

/** The session's tasks, and which of them stand in a plan. */
type Work = { tasks: readonly Task[]; steps: ReadonlySet<string> }

/** Puts the session's task list below the last message that touched it, so that it stands where the work is. */
export function createTasksPlacer() {
  let placed: { message: ChatMessage; tasks: readonly Task[]; said: string; result: ChatMessage } | null = null
  return (messages: ChatMessage[], turns: readonly TurnProjection[], { tasks, steps }: Work): ChatMessage[] => {
    // A back end that knows no tasks may answer with anything.
    const own = Array.isArray(tasks) ? (tasks as readonly Task[]).filter(({ id }) => !steps.has(id)) : []
    const turn = own.length > 0 ? turns.findLast(touchesTasks) : undefined
    const at = turn ? messages.findLastIndex(({ messageID }) => messageID === turn.turn_id) : -1
    const message = messages[at]
    if (!message) return messages
    const said = own.map(({ id }) => id).join()
    if (placed?.message !== message || placed.tasks !== tasks || placed.said !== said) {
      const block = { type: BlockType.Tasks, key: 'tasks', content: { tasks: own } }
      placed = { message, tasks, said, result: { ...message, content: [...message.content, block] } }
    }
    return messages.with(at, placed.result)
  }
}

function touchesTasks({ tool_calls, parent_fork_tool_call_id }: TurnProjection): boolean {
  return !parent_fork_tool_call_id && tool_calls.some(({ tool_name }) => TASK_TOOLS.has(tool_name))
}
