/**
 * Characters that nobody sees and that change what is read: controls, zero widths, directions, tags, odd spaces. Line ends
 * and tabs are none.
 */
// oxlint-disable-next-line no-control-regex, no-misleading-character-class -- They are what it looks for.
const HIDDEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/u

export type Piece = { text: string; isHidden: boolean }

/** A text with its hidden characters as pieces of their own, each by its number: `U+202E`. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let plain = ''
  for (const character of text) {
    if (!HIDDEN.test(character)) {
      plain += character
      continue
    }
    if (plain) pieces.push({ text: plain, isHidden: false })
    plain = ''
    const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    pieces.push({ text: `U+${number}`, isHidden: true })
  }
  if (plain) pieces.push({ text: plain, isHidden: false })
  return pieces
}
