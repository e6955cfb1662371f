import { metaOf } from '@parley/protocol/schemas'
import type { LoopEvent } from '../../core/loop-events.ts'
import type { TurnBook } from '../turn-book.ts'

/** Puts a result into the book, and after it what its `_meta` has for the host page (wire-protocol 7.10). */
export function writeResult(
  book: TurnBook,
  { turn_id, tool_call_id, status, result, duration_ms }: Omit<LoopEvent & { type: 'tool:result' }, 'type'>,
): void {
  book.settleCall(turn_id, { tool_call_id, status, result, duration_ms })
  const { bridge, ui, rejected } = metaOf(result)
  if (bridge) book.addBlock(turn_id, tool_call_id, { type: 'tool_bridge', content: bridge })
  if (ui) book.addBlock(turn_id, tool_call_id, { type: 'tool_ui', content: ui })
  for (const part of rejected)
    book.notify('system:notification', {
      notification_type: 'tool:invalid_meta',
      title: `${book.findCall(tool_call_id)?.call.tool_name ?? ''}: _meta.${part}`,
      detail:
        part === 'bridge'
          ? 'A bridge needs an action. It was left out.'
          : 'A card needs either resourceHTML or resourceUri. It was left out.',
      status: 'warning',
    })
}
