import { AgentError } from '@parley/protocol'
import { z } from 'zod'
import { defineTool, type ToolDefinition } from '../define-tool.ts'
import { globToRegex, literal } from './glob-to-regex.ts'
import { onlyInside } from '../../workspace/files/only-inside.ts'
import type { Found } from './search-job.ts'
import { searchPlace } from './search-place.ts'
import { SEARCH_NOTES, type Searches } from './searches.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'

const MAX_FILES = 1_000

const NOTES: Record<Found['end'], string | undefined> = {
  ...SEARCH_NOTES,
  cut: `… (there are more than ${MAX_FILES}; use a narrower pattern or path)`,
}

export function glob(searches: Searches): ToolDefinition {
  const leftOut = searches.isConfined ? '.git and what .gitignore names' : '.git'
  return defineTool({
    name: 'Glob',
    display_name: TOOL_NAMES.Glob,
    description: `List files of the workspace that match a pattern such as **/*.ts, sorted, at most ${MAX_FILES}. Leaves out ${leftOut}.`,
    provider: 'file_ops',
    risk: 'low',
    readOnly: true,
    replay: 'safe',
    input: z.object({
      pattern: z.string().min(1).max(1_000),
      path: z.string().min(1).optional().describe('Directory to look in; default the workspace'),
    }),
    async run({ pattern, path = '.' }, { workspace, signal, mayTouch }) {
      if (pattern.startsWith('/') || pattern.split(/[/\\]/).includes('..'))
        throw new AgentError('invalid_path', 'The pattern must stay inside the workspace; name a directory with path.')
      if (pattern.includes('\0')) throw new AgentError('invalid_payload', 'The pattern contains a NUL character.')
      const place = await searchPlace(workspace, path, mayTouch)
      if (!place.isDirectory) throw new AgentError('invalid_path', `${path} is a file; path names a directory.`)
      const below = place.path === '.' ? './' : `./${place.path}/`
      const wanted = globToRegex(pattern.replace(/^(\.\/)+/, ''))
      const { lines, end } = await searches.search(
        workspace,
        {
          looksAt: 'files',
          pattern: `^${literal(below)}(?:${wanted})$`,
          options: [],
          path: place.path,
          limit: MAX_FILES,
        },
        signal,
      )
      const found = lines.map((line) => line.slice('./'.length))
      const files = searches.isConfined ? found : await onlyInside(workspace, found)
      const note = NOTES[end]
      return note === undefined ? files : [...files, note]
    },
  })
}
