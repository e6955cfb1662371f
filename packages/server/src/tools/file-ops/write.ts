import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { fileChange } from './file-change.ts'
import { replaceFile } from '../../workspace/files/replace-file.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'

const MAX_CHARACTERS = 2 * 1024 * 1024

export const write = defineTool({
  name: 'Write',
  display_name: TOOL_NAMES.Write,
  description: 'Write a text file of the workspace, replacing what was there. Directories on the way are made.',
  provider: 'file_ops',
  input: z.object({
    file_path: z.string().min(1).describe('Relative to the workspace'),
    content: z.string().max(MAX_CHARACTERS),
  }),
  change: ({ file_path: path, content }, place) => fileChange({ path, ...place }, () => content),
  async run({ file_path, content }, { workspace, signal, notify, mayTouch }) {
    const written = await replaceFile(workspace, file_path, {
      fill: (file) => file.writeFile(content, { signal }),
      mayTouch,
    })
    notify('workspace:files_changed', { file_path: written })
    return `Wrote ${Buffer.byteLength(content)} bytes to ${file_path}.`
  },
})
