import { type ContentBlock, isSpecialTool, type ToolCallProjection, type TurnProjection } from '@parley/protocol'
import type { Plan } from '../../model/agent-blocks.ts'
import { BlockType } from '../../model/block-type.ts'
import type { Block, ChatMessage } from '../../model/chat-message.ts'
import type { UiCard } from '../../model/display-blocks.ts'
import { asArray, asObject, asText, parseJson } from '../../stream/parse-json.ts'
import { toolCallOp } from '../tool-ops.ts'
import { fileBlocks } from './attachments.ts'
import { questionBlock } from './question-block.ts'
import { sourceBlocks } from './source-blocks.ts'

type ForkOf = (toolCallID: string) => ChatMessage[]

/** The blocks of one turn. A call, its result and its declaration are one block, where the call was declared. */
export function turnBlocks(turn: TurnProjection, forkOf: ForkOf): Block[] {
  const callBlock = (call: ToolCallProjection) => blockOfCall(call, turn, forkOf)
  const calls = new Map(turn.tool_calls.map((call) => [call.id, call]))
  const blocks = turn.blocks.flatMap((block, index) => {
    const call = block.type === 'tool_use' ? calls.get(block.tool_call_id ?? '') : undefined
    if (call) calls.delete(call.id)
    return call ? [callBlock(call)] : otherBlock(block, index, turn)
  })
  // Announced without a declaration.
  const undeclared = [...calls.values()].map(callBlock)
  return [...blocks, ...undeclared, ...fileBlocks(turn), ...sourceBlocks(turn)]
}

function otherBlock(block: ContentBlock, index: number, { role, tool_calls }: TurnProjection): Block[] {
  switch (block.type) {
    case 'text':
      return [
        { type: role === 'user' ? BlockType.Text : BlockType.Markdown, key: `text:${index}`, content: block.content },
      ]
    case 'thinking':
      return [{ type: BlockType.Reasoning, key: `thinking:${index}`, content: { text: block.content } }]
    case 'tool_ui':
      return [
        cardBlock(
          block,
          index,
          tool_calls.find(({ id }) => id === block.tool_call_id),
        ),
      ]
    case 'system_notification':
      return [{ type: BlockType.Notice, key: `notice:${index}`, content: { text: block.content, level: 'info' } }]
    case 'plan_status': {
      const { status, plan, steps, plan_id, superseded_by } = block.content
      const content: Plan = {
        status,
        ...(plan && { plan }),
        ...(steps && { steps }),
        ...(plan_id && { planID: plan_id }),
        ...(superseded_by && { isSuperseded: true }),
      }
      return [{ type: BlockType.Plan, key: `plan:${index}`, content }]
    }
    case 'tool_use':
    case 'tool_result':
    case 'tool_bridge':
    case 'mode_change':
    case 'planning_enter':
    case 'planning_exit':
    case 'ask_user_answer':
      return []
    default:
      // A newer server's block: shown as unsupported, never dropped.
      return [unknownBlock(block, index)]
  }
}

function unknownBlock(block: { type: string; content?: unknown }, index: number): Block {
  return { type: block.type, key: `block:${index}`, content: block.content }
}

function blockOfCall(call: ToolCallProjection, { tool_calls }: TurnProjection, forkOf: ForkOf): Block {
  const input = parseJson(call.arguments) ?? call.arguments
  if (isSpecialTool(call.tool_name, 'AskUserQuestion')) return questionBlock(call, asObject(input), tool_calls)
  if (isSpecialTool(call.tool_name, 'Agent')) {
    const title = asText(asObject(input)['description']) || call.display_name
    const content = { toolCallID: call.id, title, status: call.status, messages: forkOf(call.id) }
    return { type: BlockType.SubAgent, key: call.id, content }
  }
  const op = toolCallOp(call.id, {
    id: call.id,
    name: call.tool_name,
    title: call.display_name,
    input,
    status: call.status,
    ...(call.result !== null && call.result !== undefined && { output: call.result }),
    ...(call.status === 'error' && { error: asText(call.result) }),
    ...(call.duration_ms !== null && { durationMs: call.duration_ms }),
  })
  return op.op === 'block' ? op.block : { type: BlockType.Tool, content: call }
}

/**
 * A tool's card. Charts are drawn from their options, which the call or the card brings: so they fit, follow the theme and
 * have their numbers beside them.
 */
function cardBlock(
  { content, tool_call_id }: Extract<ContentBlock, { type: 'tool_ui' }>,
  index: number,
  call: ToolCallProjection | undefined,
): Block {
  const key = `ui:${tool_call_id ?? ''}:${index}`
  const own = { ...card(content), ...(tool_call_id && { toolCallID: tool_call_id }) }
  const charts = asArray((content as { echarts_list?: unknown }).echarts_list).map(asObject)
  if (charts.length > 0) {
    // Of several, each stands for itself: the picture shows them all.
    const shown = charts.length === 1 ? { options: charts, card: own } : { options: charts }
    return { type: BlockType.Chart, key, content: shown }
  }
  const { option, height } = asObject(call?.tool_name === 'RenderChart' ? parseJson(call.arguments) : undefined)
  if (typeof option !== 'object' || option === null || own.target !== 'inline')
    return { type: BlockType.UiCard, key, content: own }
  const { title } = own
  return {
    type: BlockType.Chart,
    key,
    content: { options: [option], card: own, ...(title && { title }), ...(typeof height === 'number' && { height }) },
  }
}

function card({
  resourceHTML,
  resourceUri,
  target,
  height,
  title,
}: Record<Exclude<keyof UiCard, 'toolCallID'>, unknown>): UiCard {
  return {
    target: target === 'preview' ? 'preview' : 'inline',
    ...(typeof resourceHTML === 'string' && { resourceHTML }),
    ...(typeof resourceUri === 'string' && { resourceUri }),
    ...(typeof height === 'number' && { height }),
    ...(typeof title === 'string' && { title }),
  }
}
