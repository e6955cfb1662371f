import { randomUUID } from 'node:crypto'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { boundResult } from '@parley/tools'
import type { JsonObject, JsonValue, ToolOutput } from '../../ports.ts'
import { replaceFile } from '../../workspace/files/replace-file.ts'

const MAX_FILE_BYTES = 12 * 1024 * 1024

/**
 * A server's answer as people and models get it: its structured form if there is one, else its text. Pictures and other
 * binary parts become files of the workspace, because no model can read base64 in a result. Long answers are cut.
 */
export async function toolResult(answer: CallToolResult, workspace: string): Promise<ToolOutput> {
  const { content, structuredContent, isError, _meta } = answer
  const value = await valueOf(content, structuredContent as JsonObject | undefined, workspace)
  return { result: boundResult(value, hostMeta(_meta)), ...(isError && { isError: true }) }
}

async function valueOf(
  content: readonly ContentBlock[],
  structured: JsonObject | undefined,
  workspace: string,
): Promise<JsonValue> {
  const isText = content.every(({ type }) => type === 'text')
  if (structured && isText) return structured
  if (isText) return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  const parts: JsonValue[] = []
  for (const block of content) parts.push(await partOf(block, workspace))
  return structured ? { structured, content: parts } : { content: parts }
}

async function partOf(block: ContentBlock, workspace: string): Promise<JsonValue> {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
    case 'audio':
      return { type: block.type, ...(await saved(block.data, block.mimeType, workspace)) }
    case 'resource_link':
      return { type: 'resource_link', uri: block.uri, name: block.name, description: block.description ?? null }
    case 'resource': {
      const { resource } = block
      const media_type = resource.mimeType ?? 'application/octet-stream'
      if ('text' in resource) return { type: 'resource', uri: resource.uri, media_type, text: resource.text }
      return { type: 'resource', uri: resource.uri, ...(await saved(resource.blob, media_type, workspace)) }
    }
  }
}

async function saved(base64: string, media_type: string, workspace: string): Promise<JsonObject> {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > MAX_FILE_BYTES) return { media_type, size: bytes.length, note: 'Too large to keep.' }
  const extension = /^[a-z]+\/([a-z0-9]{1,8})/.exec(media_type)?.[1] ?? 'bin'
  const file_path = `.mcp/${randomUUID()}.${extension}`
  await replaceFile(workspace, file_path, { fill: (file) => file.writeFile(bytes) })
  return { media_type, size: bytes.length, file_path }
}

/** Only what our clients know (wire-protocol 7.10); a server's other remarks are for its own. */
function hostMeta(meta: CallToolResult['_meta']): JsonObject | null {
  const { bridge, ui } = (meta ?? {}) as { bridge?: JsonValue; ui?: JsonValue }
  if (bridge === undefined && ui === undefined) return null
  return { ...(bridge !== undefined && { bridge }), ...(ui !== undefined && { ui }) }
}
