import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'

const MAX_CHARACTERS = 200_000

/** A card in the chat. It runs in an opaque frame: no network, no access to the page around it. */
export const renderHtml = defineTool({
  name: 'RenderHtml',
  display_name: TOOL_NAMES.RenderHtml,
  description:
    'Show the user a card: a complete HTML document that needs nothing from the network. Use it for what text cannot show. Plain elements (headings, tables, buttons, links) are styled, in the light or dark theme of the chat; for colours of your own use var(--ck-text), --ck-muted, --ck-line-color, --ck-accent, --ck-link, --ck-bg, which follow it.',
  provider: 'builtin',
  writesFiles: false,
  risk: 'low',
  replay: 'safe',
  input: z.object({
    html: z.string().min(1).max(MAX_CHARACTERS),
    title: z.string().max(200).optional(),
    height: z.int().min(40).max(2_000).optional().describe('Pixels'),
    target: z.enum(['inline', 'preview']).default('inline').describe('In the chat, or in the panel beside it'),
  }),
  run: async ({ html, title, height, target }) => ({
    ok: true,
    _meta: { ui: { resourceHTML: html, target, title: title ?? null, height: height ?? null } },
  }),
})
