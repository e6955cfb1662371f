import { AgentError } from '@parley/protocol'
import { z } from 'zod'
import { defineTool, type ToolDefinition } from '../define-tool.ts'
import { type Hit, hitOf, hitsInside, textOfHit } from './grep-hits.ts'
import { onlyInside } from '../../workspace/files/only-inside.ts'
import type { Found } from './search-job.ts'
import { searchPlace } from './search-place.ts'
import { SEARCH_NOTES, type Searches } from './searches.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'

const MAX_RESULTS = 2_000
const DEFAULT_RESULTS = 200

const FORMS = {
  content: ['--line-number', '--no-heading', '--with-filename'],
  files_with_matches: ['--files-with-matches'],
  count: ['--count', '--with-filename'],
} as const

const NOTES: Record<Found['end'], string | undefined> = {
  ...SEARCH_NOTES,
  cut: '… (there is more; use a narrower pattern, path or glob, or a higher limit)',
}

export function grep(searches: Searches): ToolDefinition {
  const leftOut = searches.isConfined ? '.git, binary files and what .gitignore names' : '.git and binary files'
  return defineTool({
    name: 'Grep',
    display_name: TOOL_NAMES.Grep,
    description: `Search the text of workspace files with a regular expression (ripgrep syntax). Leaves out ${leftOut}.`,
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
    async run(
      { pattern, path = '.', output_mode = 'content', limit = DEFAULT_RESULTS, ...rest },
      { workspace, signal, mayTouch },
    ) {
      if (`${pattern}${rest.glob ?? ''}`.includes('\0'))
        throw new AgentError('invalid_payload', 'The pattern contains a NUL character.')
      const place = await searchPlace(workspace, path, mayTouch)
      const { lines, end } = await searches.search(
        workspace,
        {
          looksAt: 'text',
          pattern,
          options: [
            ...FORMS[output_mode],
            '--max-columns=500',
            '--max-columns-preview',
            ...(output_mode === 'files_with_matches' ? [] : ['--null']),
            ...(rest.case_insensitive ? ['--ignore-case'] : []),
            ...(rest.context !== undefined && output_mode === 'content' ? [`--context=${rest.context}`] : []),
            ...(rest.glob === undefined ? [] : [`--glob=${rest.glob}`]),
          ],
          path: place.path,
          limit,
        },
        signal,
      )
      const note = NOTES[end]
      const held: Inside = {
        hits: (hits) => hitsInside(workspace, hits, signal),
        files: (files) => onlyInside(workspace, files),
      }
      const shown = await SHOWN[output_mode](lines, searches.isConfined ? EVERYTHING : held)
      if (shown.length === 0) return note ?? 'No matches.'
      return [...shown, ...(note === undefined ? [] : [note])].join('\n')
    },
  })
}

type Inside = { hits: (hits: Hit[]) => Promise<Hit[]>; files: (files: string[]) => Promise<string[]> }

/** What people and models get for ripgrep's lines; what `inside` does not let through is left out. */
const SHOWN: Record<keyof typeof FORMS, (lines: readonly string[], inside: Inside) => Promise<string[]>> = {
  async content(lines, { hits }) {
    const found = await hits(lines.map(hitOf).filter((hit): hit is Hit => hit !== undefined))
    return found.map(textOfHit)
  },
  files_with_matches: (lines, { files }) => files(lines.map(relative)),
  async count(lines, { files }) {
    const counts = new Map(lines.map((line) => relative(line).split('\0', 2) as [string, string]))
    return (await files([...counts.keys()])).map((file) => `${file}:${counts.get(file)}`)
  },
}

/** In a sandbox nothing else can be found. */
const EVERYTHING: Inside = { hits: async (hits) => hits, files: async (files) => files }

function relative(line: string): string {
  return line.startsWith('./') ? line.slice('./'.length) : line
}
