import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { defineTool } from './define-tool.ts'
import { insideWorkspace } from './workspace.ts'

const MAX_CHARACTERS = 2 * 1024 * 1024

export const write = defineTool({
  name: 'Write',
  display_name: { zh: '写入文件', en: 'Write file' },
  description: 'Write a text file of the workspace, replacing what was there. Directories on the way are made.',
  provider: 'file_ops',
  input: z.object({
    file_path: z.string().min(1).describe('Relative to the workspace'),
    content: z.string().max(MAX_CHARACTERS),
  }),
  async run({ file_path, content }, { workspace, signal }) {
    const path = await insideWorkspace(workspace, file_path)
    await mkdir(dirname(path), { recursive: true })
    // Beside the file and then over it: nobody ever sees half of it.
    const temporary = `${path}.${randomUUID()}.tmp`
    try {
      await writeFile(temporary, content, { signal })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    return `Wrote ${Buffer.byteLength(content)} bytes to ${file_path}.`
  },
})
