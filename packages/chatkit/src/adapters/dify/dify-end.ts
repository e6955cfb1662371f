import { BlockType } from '../../model/block-type.ts'
import { chatKitError } from '../../model/chat-kit-error.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import type { Source } from '../../model/display-blocks.ts'
import { asArray, asNumber, asObject, asText, type JsonObject } from '../../stream/parse-json.ts'

/** `message_end`: numbers, sources, files, and the end. */
export function endOps(frame: JsonObject): ChatOp[] {
  const metadata = asObject(frame['metadata'])
  const { total_tokens, latency } = asObject(metadata['usage'])
  return [
    ...contextOps(asNumber(total_tokens), asNumber(latency)),
    ...sourceOps(asArray(metadata['retriever_resources'])),
    ...asArray(frame['files']).map((file) => fileOp(asObject(file))),
    { op: 'end' },
  ]
}

export function workflowOps(data: JsonObject): { isComplete: boolean; ops: ChatOp[] } {
  const numbers = contextOps(asNumber(data['total_tokens']), asNumber(data['elapsed_time']))
  const status = asText(data['status'])
  if (status === 'stopped') return { isComplete: true, ops: [...numbers, { op: 'end', status: 'stopped' }] }
  if (status !== 'failed') return { isComplete: /^(partial-)?succeeded$/.test(status), ops: numbers }
  const error = chatKitError('server', 'The workflow failed.', { cause: data['error'] })
  return { isComplete: false, ops: [...numbers, { op: 'error', error }] }
}

function contextOps(totalTokens: number | undefined, elapsedSeconds: number | undefined): ChatOp[] {
  const patch = {
    ...(totalTokens !== undefined && { totalTokens }),
    ...(elapsedSeconds !== undefined && { elapsedSeconds }),
  }
  return Object.keys(patch).length > 0 ? [{ op: 'context', patch }] : []
}

/** Sources as a block, in the order of their positions. */
export function sourceOps(resources: readonly unknown[]): ChatOp[] {
  if (resources.length === 0) return []
  const position = (resource: JsonObject) => asNumber(resource['position']) ?? 0
  const sorted = resources.map(asObject).sort((a, b) => position(a) - position(b))
  return [{ op: 'block', block: { type: BlockType.Sources, key: 'sources', content: sorted.map(toSource) } }]
}

function toSource(resource: JsonObject): Source {
  return {
    title: asText(resource['document_name']),
    content: asText(resource['content']),
    media: asText(resource['dataset_name']),
    link: '',
    icon: '',
  }
}

export function fileOp(file: JsonObject): ChatOp {
  const url = asText(file['url'])
  const type = asText(file['mime_type']) || (file['type'] === 'image' ? 'image/*' : '')
  const size = asNumber(file['size'])
  const name = asText(file['filename']) || asText(file['name']) || asText(file['type']) || 'file'
  const content = { name, ...(url && { url }), ...(type && { mediaType: type }), ...(size && { size }) }
  return { op: 'block', block: { type: BlockType.File, key: `file:${asText(file['id']) || url}`, content } }
}
