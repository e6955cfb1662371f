import { AgentError } from '@parley/protocol'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { applyEdits } from './apply-edits.ts'
import { demandText, fileChange } from './file-change.ts'
import type { MayTouch } from '../../workspace/files/hold.ts'
import { openFile } from '../../workspace/files/open-file.ts'
import { replaceFile } from '../../workspace/files/replace-file.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'

const MAX_BYTES = 10 * 1024 * 1024
const MAX_EDITS = 200

const oneEdit = z.object({
  old_string: z.string().min(1).describe('Exact text to replace; must occur once unless replace_all is true'),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
})

export const edit = defineTool({
  name: 'Edit',
  display_name: TOOL_NAMES.Edit,
  description:
    'Replace exact text in a text file of the workspace. Give old_string and new_string, or edits for several replacements, which are applied in order, all or none. Line numbers as Read shows them are not part of the text.',
  provider: 'file_ops',
  input: z
    .object({
      file_path: z.string().min(1).describe('Relative to the workspace'),
      ...oneEdit.partial().shape,
      edits: z.array(oneEdit).min(1).max(MAX_EDITS).optional().describe('Instead of old_string and new_string'),
    })
    .refine(
      ({ old_string, new_string, edits }) =>
        edits
          ? old_string === undefined && new_string === undefined
          : old_string !== undefined && new_string !== undefined,
      'Give either old_string and new_string, or edits.',
    ),
  change({ file_path: path, edits, ...single }, place) {
    const wanted = edits ?? [oneEdit.parse(single)]
    return fileChange({ path, ...place }, (before) => applyEdits(demandText(before, path), wanted, path).changed)
  },
  async run({ file_path, edits, ...single }, { workspace, signal, notify, mayTouch }) {
    const { text, stats } = await loadText(workspace, file_path, mayTouch)
    const { changed, replaced } = applyEdits(text, edits ?? [oneEdit.parse(single)], file_path)
    const written = await replaceFile(workspace, file_path, {
      fill: (file) => file.writeFile(changed, { signal }),
      expected: stats,
      mayTouch,
    })
    notify('workspace:files_changed', { file_path: written })
    return `Replaced ${replaced} ${replaced === 1 ? 'match' : 'matches'} in ${file_path}.`
  },
})

async function loadText(workspace: string, path: string, mayTouch: MayTouch | undefined) {
  await using file = await openFile(workspace, path, mayTouch)
  const { handle, stats } = file
  if (stats.size > MAX_BYTES)
    throw new AgentError(
      'payload_too_large',
      `${path} has ${stats.size} bytes; Edit takes at most ${MAX_BYTES}. Change it with a command instead.`,
    )
  // Not to its end, which a command may move away as fast as it is read.
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0)
  try {
    // The byte order mark stays in the text, and so in the file.
    return {
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer.subarray(0, bytesRead)),
      stats,
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new AgentError('invalid_path', `${path} is not UTF-8 text, so editing it would damage it.`, { cause: error })
  }
}
