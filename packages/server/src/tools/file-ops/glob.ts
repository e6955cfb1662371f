import { glob as globFiles } from 'node:fs/promises'
import { relative } from 'node:path'
import { z } from 'zod'
import { defineTool } from './define-tool.ts'
import { insideWorkspace } from './workspace.ts'

const MAX_FILES = 1_000

export const glob = defineTool({
  name: 'Glob',
  display_name: { zh: '查找文件', en: 'Find files' },
  description: `List files of the workspace that match a pattern such as **/*.ts, at most ${MAX_FILES}.`,
  provider: 'file_ops',
  risk: 'low',
  readOnly: true,
  replay: 'safe',
  input: z.object({
    pattern: z.string().min(1),
    path: z.string().min(1).optional().describe('Directory to look in; default the workspace'),
  }),
  async run({ pattern, path = '.' }, { workspace, signal }) {
    if (pattern.startsWith('/') || pattern.split('/').includes('..'))
      throw new Error('The pattern must stay inside the workspace.')
    const root = await insideWorkspace(workspace, '.')
    const cwd = await insideWorkspace(workspace, path)
    const files: string[] = []
    for await (const file of globFiles(pattern, { cwd })) {
      signal.throwIfAborted()
      if (files.length === MAX_FILES) return [...files.sort(), `… (more than ${MAX_FILES})`]
      const real = await insideWorkspace(workspace, relative(root, `${cwd}/${file}`)).catch(() => undefined)
      if (real !== undefined) files.push(relative(root, `${cwd}/${file}`) || '.')
    }
    return files.sort()
  },
})
