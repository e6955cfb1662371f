/** `_meta` of a tool result: an action or a card for the host page. The model never sees it. */
import { z } from 'zod'
import { parseBoundedJson } from './bounded-json.ts'
import { openObject, orNull } from './open-schema.ts'

/** An action for the host page; the protocol does not enumerate actions. */
export const bridgeSchema = openObject({ action: z.string().min(1), payload: z.unknown() })
export type Bridge = z.infer<typeof bridgeSchema>

/** A card: exactly one of `resourceHTML` (iframe `srcdoc`) and `resourceUri` (iframe `src`). */
export const uiCardSchema = openObject({
  resourceHTML: orNull(z.string()),
  resourceUri: orNull(z.string()),
  /** An unknown target reads as `inline`. */
  target: z.enum(['inline', 'preview']).catch('inline'),
  /** Pixels. */
  height: orNull(z.int()),
  title: orNull(z.string()),
}).refine(
  (card) => (card.resourceHTML === null) !== (card.resourceUri === null),
  'needs resourceHTML or resourceUri, not both',
)
export type UiCard = z.infer<typeof uiCardSchema>

export type ToolMeta = {
  bridge: Bridge | null
  ui: UiCard | null
  /** Parts that were there but do not fit; they are dropped with a warning, the result still counts. */
  rejected: ('bridge' | 'ui')[]
}

/** Reads `_meta` from a result, also from a string that holds a JSON object. */
export function metaOf(result: unknown): ToolMeta {
  const meta = asObject(asObject(typeof result === 'string' ? parsed(result) : result)?.['_meta'])
  const bridge = bridgeSchema.safeParse(meta?.['bridge'])
  const ui = uiCardSchema.safeParse(meta?.['ui'])
  const rejected: ToolMeta['rejected'] = []
  if (!bridge.success && meta?.['bridge'] != null) rejected.push('bridge')
  if (!ui.success && meta?.['ui'] != null) rejected.push('ui')
  return { bridge: bridge.data ?? null, ui: ui.data ?? null, rejected }
}

/** The result as the model gets it: the same value without `_meta`. */
export function withoutMeta(result: unknown): unknown {
  const object = asObject(typeof result === 'string' ? parsed(result) : result)
  if (!object || !('_meta' in object)) return result
  const { _meta, ...rest } = object
  return rest
}

function parsed(text: string): unknown {
  // Most results are plain text: look before paying for a parse.
  return text.trimStart().startsWith('{') ? parseBoundedJson(text) : null
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}
