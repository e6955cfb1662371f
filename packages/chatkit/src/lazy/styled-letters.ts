/** First capital, first small letter, first digit of a style, and letters that stand elsewhere in Unicode. */
type Style = { capital: number; small: number; digit?: number; elsewhere?: Readonly<Record<string, string>> }

const STYLES: Readonly<Record<string, Style>> = {
  bold: { capital: 0x1d400, small: 0x1d41a, digit: 0x1d7ce },
  'bold-italic': { capital: 0x1d468, small: 0x1d482 },
  'double-struck': {
    ...{ capital: 0x1d538, small: 0x1d552, digit: 0x1d7d8 },
    elsewhere: { C: 'ℂ', H: 'ℍ', N: 'ℕ', P: 'ℙ', Q: 'ℚ', R: 'ℝ', Z: 'ℤ' },
  },
  script: {
    ...{ capital: 0x1d49c, small: 0x1d4b6 },
    elsewhere: { B: 'ℬ', E: 'ℰ', F: 'ℱ', H: 'ℋ', I: 'ℐ', L: 'ℒ', M: 'ℳ', R: 'ℛ', e: 'ℯ', g: 'ℊ', o: 'ℴ' },
  },
  fraktur: { capital: 0x1d504, small: 0x1d51e, elsewhere: { C: 'ℭ', H: 'ℌ', I: 'ℑ', R: 'ℜ', Z: 'ℨ' } },
}

/** The letters as those of a style that browsers no longer make of them by themselves (`mathvariant`); others stay. */
export function styledLetters(text: string, name: string): string {
  const style = Object.hasOwn(STYLES, name) ? STYLES[name] : undefined
  return style ? [...text].map((letter) => styled(letter, style)).join('') : text
}

function styled(letter: string, { capital, small, digit, elsewhere = {} }: Style): string {
  const code = letter.charCodeAt(0)
  if (letter in elsewhere) return elsewhere[letter] ?? letter
  if (/^[A-Z]$/.test(letter)) return String.fromCodePoint(capital + code - 65)
  if (/^[a-z]$/.test(letter)) return String.fromCodePoint(small + code - 97)
  if (/^\d$/.test(letter) && digit !== undefined) return String.fromCodePoint(digit + code - 48)
  return letter
}
