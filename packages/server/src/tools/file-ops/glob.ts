import { matchesGlob } from 'node:path'
import { AgentError } from '@parley/protocol'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { onlyInside } from './only-inside.ts'
import { runRipgrep } from './run-ripgrep.ts'
import { searchPlace } from './search-place.ts'

const MAX_FILES = 1_000
const TIMEOUT_MS = 30_000

export const glob = defineTool({
  name: 'Glob',
  display_name: { zh: '查找文件', en: 'Find files' },
  description: `List files of the workspace that match a pattern such as **/*.ts, sorted, at most ${MAX_FILES}. Leaves out .git and what .gitignore names.`,
  provider: 'file_ops',
  risk: 'low',
  readOnly: true,
  replay: 'safe',
  input: z.object({
    pattern: z.string().min(1).max(1_000),
    path: z.string().min(1).optional().describe('Directory to look in; default the workspace'),
  }),
  async run({ pattern, path = '.' }, { workspace, signal }) {
    if (pattern.startsWith('/') || pattern.split(/[/\\]/).includes('..'))
      throw new AgentError('invalid_path', 'The pattern must stay inside the workspace; name a directory with path.')
    const place = await searchPlace(workspace, path)
    if (!place.isDirectory) throw new AgentError('invalid_path', `${path} is a file; path names a directory.`)
    const below = place.path === '.' ? '' : `${place.path}/`
    const wanted = pattern.replace(/^(\.\/)+/, '')
    const files: string[] = []
    const end = await runRipgrep({
      ...place,
      args: ['--files'],
      timeoutMs: TIMEOUT_MS,
      signal,
      onLine(line) {
        const file = line.slice('./'.length)
        if (!matchesGlob(file.slice(below.length), wanted)) return true
        if (files.length < MAX_FILES) files.push(file)
        else return false
        return true
      },
    })
    const inside = await onlyInside(workspace, files)
    if (end === 'cut') return [...inside, `… (there are more than ${MAX_FILES}; use a narrower pattern or path)`]
    if (end === 'timeout') return [...inside, `… (stopped after ${TIMEOUT_MS / 1_000} s; use a narrower path)`]
    return inside
  },
})
