/**
 * Characters that nobody sees and that change what is read: controls, zero widths, directions, tags, odd spaces. Line ends
 * and tabs are none. From, to.
 */
const HIDDEN: readonly (readonly [number, number])[] = [
  ...([
    [0x00, 0x08],
    [0x0b, 0x1f],
    [0x7f, 0xa0],
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
    [0x115f, 0x1160],
  ] as const),
  ...([
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
    [0x2000, 0x200f],
    [0x2028, 0x202f],
    [0x205f, 0x206f],
  ] as const),
  ...([
    [0x3164, 0x3164],
    [0xfe00, 0xfe0e],
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
    [0xfff9, 0xfffb],
  ] as const),
  ...([
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe0fff],
  ] as const),
]

export type Piece = { text: string; isHidden: boolean }

/** A text with its hidden characters as pieces of their own, each by its number: `U+202E`. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let plain = ''
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (!HIDDEN.some(([from, to]) => code >= from && code <= to)) {
      plain += character
      continue
    }
    if (plain) pieces.push({ text: plain, isHidden: false })
    plain = ''
    const number = code.toString(16).toUpperCase().padStart(4, '0')
    pieces.push({ text: `U+${number}`, isHidden: true })
  }
  if (plain) pieces.push({ text: plain, isHidden: false })
  return pieces
}
