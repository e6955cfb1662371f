import katex from 'katex'
import type { MathRenderer } from '../markdown/markdown-options.ts'
import { styledLetters } from './styled-letters.ts'

export { addMathFont } from './add-math-font.ts'

/** Longer than any formula that people read; shorter than what keeps the page busy. */
const MAX_LENGTH = 10_000

/**
 * Draws a formula as MathML: it needs neither fonts nor a style sheet nor inline styles, and screen readers know it.
 * Throws for what is not a formula.
 */
export const renderMath: MathRenderer = (target, tex, { display }) => {
  if (tex.length > MAX_LENGTH) throw new RangeError(`The formula has more than ${MAX_LENGTH} characters.`)
  katex.render(tex, target, {
    displayMode: display,
    output: 'mathml',
    throwOnError: true,
    // Commands that name an address, a class or a style are not obeyed.
    trust: false,
    strict: 'ignore',
    maxExpand: 500,
    maxSize: 20,
    macros: { ...WITHOUT_STYLES },
  })
  // MathML Core knows no styles of letters; Unicode has letters in these styles.
  for (const element of target.querySelectorAll('[mathvariant]'))
    if (element.childElementCount === 0)
      element.textContent = styledLetters(element.textContent ?? '', element.getAttribute('mathvariant') ?? '')
}

/** Drawn with a `style` attribute otherwise, which a strict policy refuses and reports. */
const WITHOUT_STYLES = { '\\pmb': '\\boldsymbol{#1}', '\\fcolorbox': '\\fbox{#3}' }
