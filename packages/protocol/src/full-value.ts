/** The full-value rule: how often a growing value may be sent whole so that the total stays linear in its length. */

/** Up to this size a value is always attached. */
export const SMALL_BYTES = 2_048
/** Up to this size a turn is attached to every patch that is not text. */
export const LARGE_TURN_BYTES = 256 * 1024
/** Beyond that, it must have grown by this factor since it was last attached. */
const GROWTH = 1.05
/** Text patches carry the turn at most this often. */
export const SNAPSHOT_INTERVAL_MS = 100

/** How large a value is now, and was when it was last sent whole (null: never). */
export type Extent = { readonly bytes: number; readonly sent: number | null }

/** May the value go out whole now? Sizes are UTF-8 bytes. */
export function isFullValueDue({ bytes, sent }: Extent, alwaysUpTo: number = SMALL_BYTES): boolean {
  return bytes <= alwaysUpTo || sent === null || bytes >= sent * GROWTH
}

/** Length in UTF-8. Half a surrogate pair counts as three, which errs on the safe side. */
export function utf8Bytes(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) {
      // Two units, four bytes: the pair has been counted as 2 + 2 once the low half is skipped.
      index++
    }
  }
  return bytes
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
