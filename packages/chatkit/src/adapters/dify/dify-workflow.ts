import { BlockType } from '../../model/block-type.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import type { ToolStatus } from '../../model/tool-block.ts'
import { asNumber, asText, type JsonObject } from '../../stream/parse-json.ts'

const HIDDEN_NODES: ReadonlySet<string> = new Set(['llm', 'answer', 'start'])

/** Nodes of a workflow as tool rows. */
export function nodeOps(type: string, data: JsonObject): ChatOp[] {
  if (!/^(node|iteration|loop)_/.test(type) || HIDDEN_NODES.has(asText(data['node_type']))) return []
  return [rowOp({ ...data, label: data['title'], name: data['node_type'] })]
}

/** Steps an agent node reports. */
export function logOps(data: JsonObject): ChatOp[] {
  return [rowOp({ ...data, name: 'agent_log', outputs: data['data'] })]
}

function rowOp(data: JsonObject): ChatOp {
  const id = asText(data['id'])
  const seconds = asNumber(data['elapsed_time'])
  const error = asText(data['error'])
  const name = asText(data['name']) || 'node'
  const content = {
    id,
    name,
    title: asText(data['label']) || name,
    status: STATUS[asText(data['status'])] ?? 'pending',
    ...(data['inputs'] !== undefined && { input: data['inputs'] }),
    ...(data['outputs'] !== undefined && { output: data['outputs'] }),
    ...(seconds !== undefined && { durationMs: Math.round(seconds * 1000) }),
    ...(error && { error }),
  }
  return { op: 'block', block: { type: BlockType.Tool, key: `node:${id}`, content } }
}

const STATUS: Record<string, ToolStatus> = {
  succeeded: 'done',
  success: 'done',
  failed: 'error',
  error: 'error',
  exception: 'error',
  stopped: 'cancelled',
}
