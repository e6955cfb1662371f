import { AgentError } from '@parley/protocol'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { type Hit, hitOf, textOfHits } from './grep-hits.ts'
import { onlyInside } from './only-inside.ts'
import { runRipgrep } from './run-ripgrep.ts'
import { searchPlace } from './search-place.ts'

const MAX_RESULTS = 2_000
const DEFAULT_RESULTS = 200
const MAX_CHARACTERS = 64 * 1024
const TIMEOUT_MS = 30_000

const FORMS = {
  content: ['--line-number', '--no-heading', '--with-filename'],
  files_with_matches: ['--files-with-matches'],
  count: ['--count', '--with-filename'],
} as const

const NOTES = {
  done: undefined,
  cut: '… (there is more; use a narrower pattern, path or glob, or a higher limit)',
  timeout: `… (stopped after ${TIMEOUT_MS / 1_000} s; use a narrower path or glob)`,
} as const

export const grep = defineTool({
  name: 'Grep',
  display_name: { zh: '搜索内容', en: 'Search in files' },
  description:
    'Search the text of workspace files with a regular expression (ripgrep syntax). Leaves out .git, binary files and what .gitignore names.',
  provider: 'file_ops',
  risk: 'low',
  readOnly: true,
  replay: 'safe',
  input: z.object({
    pattern: z.string().min(1).max(5_000).describe('Regular expression, matched line by line'),
    path: z.string().min(1).optional().describe('File or directory to search; default the workspace'),
    glob: z.string().min(1).max(1_000).optional().describe('Only files like this, e.g. *.ts'),
    output_mode: z.enum(['content', 'files_with_matches', 'count']).optional().describe('Default content'),
    context: z.int().min(0).max(20).optional().describe('Lines around each match, in content mode'),
    case_insensitive: z.boolean().optional(),
    limit: z.int().min(1).max(MAX_RESULTS).optional().describe(`Output lines at most; default ${DEFAULT_RESULTS}`),
  }),
  async run({ pattern, path = '.', output_mode = 'content', limit = DEFAULT_RESULTS, ...rest }, { workspace, signal }) {
    if (`${pattern}${rest.glob ?? ''}`.includes('\0'))
      throw new AgentError('invalid_payload', 'The pattern contains a NUL character.')
    const place = await searchPlace(workspace, path)
    const found: string[] = []
    let characters = 0
    const end = await runRipgrep({
      ...place,
      args: [
        ...FORMS[output_mode],
        // Where it was found is enough; the text is read again.
        '--max-columns=500',
        '--max-columns-preview',
        ...(output_mode === 'files_with_matches' ? [] : ['--null']),
        ...(rest.case_insensitive ? ['--ignore-case'] : []),
        ...(rest.context !== undefined && output_mode === 'content' ? [`--context=${rest.context}`] : []),
        ...(rest.glob === undefined ? [] : [`--glob=${rest.glob}`]),
        `--regexp=${pattern}`,
      ],
      timeoutMs: TIMEOUT_MS,
      signal,
      onLine(line) {
        characters += line.length
        if (found.length === limit || characters > MAX_CHARACTERS) return false
        found.push(line)
        return true
      },
    })
    const note = NOTES[end]
    const shown = await SHOWN[output_mode](workspace, found, signal)
    if (shown.length === 0) return note ?? 'No matches.'
    return [...shown, ...(note === undefined ? [] : [note])].join('\n')
  },
})

/** What people and models get for ripgrep's lines, nothing of it from outside the workspace. */
const SHOWN: Record<
  keyof typeof FORMS,
  (workspace: string, lines: readonly string[], signal: AbortSignal) => Promise<string[]>
> = {
  content: (workspace, lines, signal) =>
    textOfHits(
      workspace,
      lines.map(hitOf).filter((hit): hit is Hit => hit !== undefined),
      signal,
    ),
  files_with_matches: (workspace, lines) => onlyInside(workspace, lines.map(relative)),
  async count(workspace, lines) {
    const counts = new Map(lines.map((line) => relative(line).split('\0', 2) as [string, string]))
    return (await onlyInside(workspace, [...counts.keys()])).map((file) => `${file}:${counts.get(file)}`)
  },
}

function relative(line: string): string {
  return line.startsWith('./') ? line.slice('./'.length) : line
}
