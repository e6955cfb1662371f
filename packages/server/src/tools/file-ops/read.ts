import { open } from 'node:fs/promises'
import { z } from 'zod'
import { defineTool } from './define-tool.ts'
import { insideWorkspace } from './workspace.ts'

const MAX_BYTES = 256 * 1024
const MAX_LINES = 2_000

export const read = defineTool({
  name: 'Read',
  display_name: { zh: '读取文件', en: 'Read file' },
  description: `Read a text file of the workspace. Returns its lines with numbers; offset and limit select a part of a long file (at most ${MAX_LINES} lines).`,
  provider: 'file_ops',
  risk: 'low',
  readOnly: true,
  replay: 'safe',
  input: z.object({
    file_path: z.string().min(1).describe('Relative to the workspace'),
    offset: z.int().min(1).optional().describe('First line, from 1'),
    limit: z.int().min(1).max(MAX_LINES).optional(),
  }),
  async run({ file_path, offset = 1, limit = MAX_LINES }, { workspace, signal }) {
    await using file = await open(await insideWorkspace(workspace, file_path))
    const stats = await file.stat()
    if (stats.isDirectory()) throw new Error(`${file_path} is a directory; use Glob to list it.`)
    const bytes = Buffer.alloc(Math.min(stats.size, MAX_BYTES))
    await file.read(bytes, 0, bytes.length, 0)
    signal.throwIfAborted()
    if (bytes.includes(0)) throw new Error(`${file_path} is not a text file (${stats.size} bytes).`)
    const lines = bytes.toString('utf8').split('\n')
    const shown = lines.slice(offset - 1, offset - 1 + limit).map((line, index) => `${offset + index}\t${line}`)
    const rest =
      stats.size > MAX_BYTES ? `\n… (the file has ${stats.size} bytes; only the first ${MAX_BYTES} were read)` : ''
    return shown.join('\n') + rest
  },
})
