import { kitAccent } from './accent.ts'
import kitStyles from '../react/chatkit.css?inline'
import frameStyles from './element.css?inline'

let sheet: CSSStyleSheet | undefined

/** Puts the kit's styles into a shadow root. A constructed sheet needs no `style-src` in the page's policy. */
export function adoptKitStyles(root: ShadowRoot): void {
  adoptStyles(root, (sheet ??= sheetOf(withOwnRem(kitStyles) + frameStyles)))
}

export function adoptStyles(root: ShadowRoot, styles: CSSStyleSheet): void {
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, styles]
}

/** Paints a shadow root in an accent, in place of the one before. */
export function createPaint(root: ShadowRoot): (accent: string | undefined) => void {
  let painted: CSSStyleSheet | null = null
  return (accent) => {
    const others = root.adoptedStyleSheets.filter((styles) => styles !== painted)
    painted = accent ? sheetOf(kitAccent(accent)) : null
    root.adoptedStyleSheets = painted ? [...others, painted] : others
  }
}

export function sheetOf(text: string): CSSStyleSheet {
  const styles = new CSSStyleSheet()
  styles.replaceSync(text)
  return styles
}

/** `rem` is the page's even inside a shadow root: a page that says `html { font-size: 10px }` would shrink the chat. */
export function withOwnRem(css: string): string {
  registerRem()
  return css.replace(/(-?\d*\.?\d+)rem\b/g, 'calc($1 * var(--ck-rem))')
}

/** As a length it is inherited as it was computed; plain text, it would mean another `em` in every element. */
function registerRem(): void {
  try {
    CSS.registerProperty({ name: '--ck-rem', syntax: '<length>', inherits: true, initialValue: '16px' })
  } catch {
    // Another copy of the kit on the page was first.
  }
}
