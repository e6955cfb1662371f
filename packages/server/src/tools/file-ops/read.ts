import { AgentError } from '@parley/protocol'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { type FileKind, kindOfContent } from './file-kind.ts'
import { openFile } from '../../workspace/files/open-file.ts'
import { type Lines, readLines } from './read-lines.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'

const MAX_LINES = 2_000
const MAX_BYTES = 256 * 1024
const MAX_LINE_BYTES = 8 * 1024
const MAX_SCAN_BYTES = 256 * 1024 * 1024
const SNIFFED_BYTES = 64 * 1024

export const read = defineTool({
  name: 'Read',
  display_name: TOOL_NAMES.Read,
  description: `Read a text file of the workspace. Returns its lines with numbers, at most ${MAX_LINES}; offset and limit select a part of a long file. Images are described, other binary files refused.`,
  provider: 'file_ops',
  risk: 'low',
  readOnly: true,
  replay: 'safe',
  input: z.object({
    file_path: z.string().min(1).describe('Relative to the workspace'),
    offset: z.int().min(1).optional().describe('First line, from 1'),
    limit: z.int().min(1).max(MAX_LINES).optional(),
  }),
  async run({ file_path, offset = 1, limit = MAX_LINES }, { workspace, signal, mayTouch }) {
    await using file = await openFile(workspace, file_path, mayTouch)
    const { handle, stats } = file
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0)
    const kind = kindOfContent(buffer.subarray(0, bytesRead))
    if (kind.type === 'image') return describeImage(kind, file_path, stats.size)
    if (kind.type === 'binary')
      throw new AgentError('invalid_path', `${file_path} is ${kind.name} (${stats.size} bytes), so it is not shown.`)
    if (bytesRead === 0) return `(${file_path} is empty)`
    const found = await readLines(handle, {
      offset,
      limit,
      maxBytes: MAX_BYTES,
      maxLineBytes: MAX_LINE_BYTES,
      maxScanBytes: MAX_SCAN_BYTES,
      signal,
    })
    if (found.lines.length === 0) throw beyondTheEnd(file_path, offset, found)
    const numbered = found.lines.map(
      (line, index) => `${offset + index}\t${index + offset === 1 ? unmarked(line) : line}`,
    )
    return [...numbered, ...notes(kind, offset, found)].join('\n')
  },
})

function describeImage(
  { media_type, width, height }: FileKind & { type: 'image' },
  path: string,
  size: number,
): string {
  const dimensions = width !== null && height !== null ? `, ${width} × ${height} pixels` : ''
  return `${path} is an image (${media_type}${dimensions}, ${size} bytes). It cannot be shown as text; people see it in the workspace's files, and you see an image when the user attaches it to a message.`
}

function beyondTheEnd(path: string, offset: number, { seen, end }: Lines): AgentError {
  if (end === 'too_far')
    return new AgentError(
      'invalid_payload',
      `Line ${offset} of ${path} is too far in. Use Grep, or a command, to find it.`,
    )
  return new AgentError('invalid_payload', `${path} has ${seen} lines; line ${offset} is beyond its end.`)
}

function unmarked(line: string): string {
  return line.startsWith('\uFEFF') ? line.slice(1) : line
}

function notes(kind: FileKind, offset: number, { lines, end }: Lines): string[] {
  const next = offset + lines.length
  return [
    ...(kind.type === 'text' && kind.encoding === 'unknown'
      ? ['… (not UTF-8, perhaps GBK: what could not be read is shown as �; convert it with iconv first)']
      : []),
    ...(end === 'more'
      ? [`… (lines ${offset}–${next - 1} are shown and there are more; go on with offset ${next})`]
      : []),
  ]
}
