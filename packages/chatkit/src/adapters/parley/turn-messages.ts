import { ROOT_LOOP, type Task, type TurnProjection } from '@parley/protocol'
import { BlockType } from '../../model/block-type.ts'
import type { Block, ChatMessage, MessageContext, MessageStatus } from '../../model/chat-message.ts'
import { RoleType } from '../../model/role.ts'
import { textsOf } from '../../model/texts.ts'
import { runError } from './parley-error.ts'
import { promptContent } from '../context-prompt.ts'
import { createPlanPlacer, stepsShown } from './place-plans.ts'
import { createTasksPlacer } from './tasks-block.ts'
import { turnBlocks } from './turn-blocks.ts'

/**
 * Maps a session's turns, as `reduce` folds them, to messages; what did not change stays the same object from one call to the
 * next. Those of other branches are left out.
 */
export type TurnMapper = (turns: readonly TurnProjection[], tasks?: readonly Task[]) => ChatMessage[]

/** Names and notices are in the language of `locale`. */
export function createTurnMapper(locale: string): TurnMapper {
  const made = new WeakMap<TurnProjection, { forks: readonly ChatMessage[][]; message: ChatMessage }>()
  const forkLists = new Map<string, ChatMessage[]>()
  const placePlans = createPlanPlacer()
  const placeTasks = createTasksPlacer()

  const toMessage = (turn: TurnProjection, children: ReadonlyMap<string, TurnProjection[]>): ChatMessage => {
    const forks = children.size === 0 ? NO_FORKS : turn.tool_calls.map(({ id }) => listOf(id, children))
    const known = made.get(turn)
    if (known?.forks.length === forks.length && known.forks.every((list, index) => list === forks[index]))
      return known.message
    const message = messageOf(turn, { locale, forkOf: (id) => listOf(id, children) })
    made.set(turn, { forks, message })
    return message
  }

  /** The messages of one sub-agent, the same array while none of them changed. */
  const listOf = (callID: string, children: ReadonlyMap<string, TurnProjection[]>): ChatMessage[] => {
    const list = (children.get(callID) ?? []).map((turn) => toMessage(turn, children))
    const before = forkLists.get(callID) ?? NONE
    if (before.length === list.length && list.every((message, index) => message === before[index])) return before
    if (forkLists.size >= MAX_FORKS) forkLists.clear()
    forkLists.set(callID, list)
    return list
  }

  return (turns, tasks = NO_TASKS) => {
    const children = new Map<string, TurnProjection[]>()
    for (const turn of turns) {
      const parent = turn.parent_fork_tool_call_id
      const siblings = parent ? children.get(parent) : undefined
      if (siblings) siblings.push(turn)
      else if (parent) children.set(parent, [turn])
    }
    const shown = turns.filter(isShown)
    const messages = shown
      .map((turn) => toMessage(turn, children))
      // A change of mode says nothing that the switch does not; an answer that has just begun says that it comes.
      // [W10.9] A failure is told, also when nothing was said before it.
      .filter(
        ({ content, error }, at) =>
          content.length > 0 || error !== undefined || (at === shown.length - 1 && shown[at]?.role === 'assistant'),
      )
    const planned = placePlans(messages)
    return placeTasks(planned, turns, { tasks, steps: stepsShown(planned) })
  }
}

const NONE: ChatMessage[] = []
const NO_FORKS: ChatMessage[][] = []
const NO_TASKS: Task[] = []
const MAX_FORKS = 1000

/** Other branches are not; sub-agents are shown inside their call, answers with their question. */
function isShown(turn: TurnProjection): boolean {
  if (turn.deprecated || turn.parent_fork_tool_call_id || turn.loop_id !== ROOT_LOOP) return false
  return turn.role !== 'user' || turn.blocks.some(({ type }) => type !== 'ask_user_answer')
}

type Setting = { locale: string; forkOf: (toolCallID: string) => ChatMessage[] }

function messageOf(turn: TurnProjection, setting: Setting): ChatMessage {
  const texts = textsOf(setting.locale)
  const role =
    turn.role === 'user'
      ? { name: texts.userName, type: RoleType.User, avatar: '' }
      : { name: texts.assistantName, type: RoleType.Assistant, avatar: '' }
  const createdAt = turn.started_at ? Date.parse(turn.started_at) : Number.NaN
  const messageContext = contextOf(turn)
  const { client_message_id } = turn
  return {
    messageID: turn.turn_id,
    messageId: turn.turn_id,
    role,
    ...contentOf(turn, setting),
    status: isCut(turn) ? 'interrupted' : (STATUS[turn.status] ?? 'completed'),
    ...(Number.isFinite(createdAt) && { createdAt }),
    ...(turn.role === 'assistant' && turn.run_id && { groupID: turn.run_id }),
    ...(messageContext && { messageContext }),
    ...(client_message_id && { client_message_id }),
    ...(turn.status === 'failed' && { error: failureOf(turn.failure_reason) }),
  }
}

/** By a server that went down; whoever comes after it asks the model again. */
function isCut({ status, failure_reason }: TurnProjection): boolean {
  return status === 'interrupted' && failure_reason === 'server_stopped'
}

const STATUS: Record<TurnProjection['status'], MessageStatus> = {
  streaming: 'streaming',
  completed: 'completed',
  paused: 'completed',
  failed: 'failed',
  interrupted: 'stopped',
}

function contentOf(
  turn: TurnProjection,
  { locale, forkOf }: Setting,
): Pick<ChatMessage, 'content' | 'applicationContext'> {
  if (turn.kind === 'compaction') return { content: [compaction(turn, locale)] }
  const content = turnBlocks(turn, forkOf)
  const [first, ...others] = content
  if (turn.role !== 'user' || first?.type !== BlockType.Text) return { content }
  const asked = promptContent(String(first.content))
  return { ...asked, content: [...asked.content.map((block) => ({ ...block, key: first.key ?? 'text' })), ...others] }
}

/** `code: message`, as the server writes it. */
function failureOf(reason: string | null | undefined) {
  const [code = '', ...message] = (reason ?? 'internal_error').split(':')
  return runError(code, message.join(':'))
}

const COMPACTION: Record<TurnProjection['status'], 'compacting' | 'compacted' | 'notCompacted'> = {
  streaming: 'compacting',
  completed: 'compacted',
  paused: 'compacted',
  failed: 'notCompacted',
  interrupted: 'notCompacted',
}

function compaction(turn: TurnProjection, locale: string): Block {
  const details = turn.summary_full ?? turn.summary_preview
  const text = textsOf(locale)[COMPACTION[turn.status]]
  return {
    type: BlockType.Notice,
    key: 'compaction',
    content: { text, level: 'info', kind: 'compaction', ...(details && { details }) },
  }
}

function contextOf({
  role,
  status,
  usage,
  duration_ms,
  memory_refs,
  feedback,
}: TurnProjection): MessageContext | undefined {
  if (role !== 'assistant' || status === 'streaming') return undefined
  const memories = memory_refs?.map(({ id, content_preview }) => ({ id: String(id), title: content_preview })) ?? []
  const context: MessageContext = {
    ...(usage && { totalTokens: usage.input_tokens + usage.output_tokens }),
    ...(duration_ms > 0 && { elapsedSeconds: duration_ms / 1000 }),
    ...(memories.length > 0 && { memories }),
    ...(feedback && { feedback: feedback.value }),
    ...(feedback?.comment && { feedbackComment: feedback.comment }),
  }
  return Object.keys(context).length > 0 ? context : undefined
}
