let added: Promise<void> | undefined

/**
 * Puts the font for formulas into the page, once: shadow roots have it too. It comes as bytes, so no policy for fonts
 * stands in its way. Where it cannot be had, formulas are drawn with what the system has.
 */
export function addMathFont(load: () => Promise<{ font: string }>): void {
  if (typeof FontFace === 'undefined') return
  added ??= load()
    .then(async ({ font }) => {
      const bytes = Uint8Array.from(atob(font), (character) => character.charCodeAt(0))
      document.fonts.add(await new FontFace('Parley Math', bytes).load())
    })
    .catch(() => {
      added = undefined // Tried again with the next formula.
    })
}
