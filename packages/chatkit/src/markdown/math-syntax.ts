import type { TokenizerExtensionFunction } from 'marked'

export type MathToken = { type: 'math'; raw: string; text: string; isDisplay: boolean }

const DOLLARS = /^\$\$((?:\\[\s\S]|[^\\$])+)\$\$/
/** No space inside the dollars and no digit behind them: `$5 and $6` is money. */
const DOLLAR = /^\$((?:\\.|[^\\$\n\s])(?:(?:\\.|[^\\$\n])*(?:\\.|[^\\$\n\s]))?)\$(?!\d)/
const BRACKETS = /^\\\[([\s\S]+?)\\\]/
const PARENTHESES = /^\\\(([\s\S]+?)\\\)/

/** Cheap test, so that text without formulas never pays for them. */
export const mayHoldMath = (source: string): boolean => /\$|\\[([]/.test(source)

/** The formula at the very start of `source`. */
export function mathAt(source: string): MathToken | undefined {
  const first = source[0]
  if (first !== '$' && first !== '\\') return undefined
  const display = DOLLARS.exec(source) ?? BRACKETS.exec(source)
  const match = display ?? DOLLAR.exec(source) ?? PARENTHESES.exec(source)
  return match ? { type: 'math', raw: match[0], text: match[1]!.trim(), isDisplay: display !== null } : undefined
}

/** Hides formulas from the search for emphasis, keeping the length: `**$a*b$**` is one bold formula. */
export function maskMath(source: string): string {
  if (!mayHoldMath(source)) return source
  let masked = ''
  for (let i = 0; i < source.length;) {
    const math = mathAt(source.slice(i, i + 4000))
    masked += math ? 'a'.repeat(math.raw.length) : source[i]
    i += math ? math.raw.length : 1
  }
  return masked
}

export const mathExtension: TokenizerExtensionFunction = (source) => mathAt(source)
export const mathStart = (source: string): number | undefined => {
  const at = source.search(/\$|\\[([]/)
  return at < 0 ? undefined : at
}
