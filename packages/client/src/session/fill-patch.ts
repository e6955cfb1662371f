import type { PatchEnvelope, TurnProjection } from '@parley/protocol'

/**
 * [W14.4] Gives a `turn:patch` back what the wire left out: `content` of a text increment, and `data.turn` as a getter,
 * because most listeners never look and a copy for every increment would cost the square of the answer's length.
 */
export function fillPatch(patch: PatchEnvelope, turn: TurnProjection): void {
  const { data } = patch
  if (patch.patch_type === 'add_content' && patch.data.text_delta != null && patch.data.content === undefined)
    patch.data.content = turn.blocks[patch.data.block_index ?? turn.blocks.length - 1]?.content
  if (data.turn !== undefined) return

  let copy: TurnProjection | undefined
  Object.defineProperty(data, 'turn', {
    configurable: true,
    enumerable: true,
    get: () => (copy ??= copyOf(turn)),
    set: (value: TurnProjection) => {
      copy = value
    },
  })
}

/** Applications push into `blocks` and write to `content`: what they get must not be the fold's own. */
export function copyOf(turn: TurnProjection): TurnProjection {
  return {
    ...turn,
    blocks: turn.blocks.map((block) => ({ ...block })),
    tool_calls: turn.tool_calls.map((call) => ({ ...call })),
  }
}
