/** Nesting that no author writes; reading it would cost its square or cube, drawing it the stack. */
const MAX_NESTING = 40
const MARKERS = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])[ \t]?){25}/m

/** True for text that is only drawn as it was written: hostile or broken, in time linear to its length. */
export function isTooNested(source: string): boolean {
  return (
    MARKERS.test(source) ||
    depthOf(source, '[', ']') > MAX_NESTING ||
    depthOf(source, '(', ')') > MAX_NESTING ||
    emphasisDepth(source) > MAX_NESTING
  )
}

function depthOf(source: string, open: string, close: string): number {
  let depth = 0
  let deepest = 0
  for (let at = source.indexOf(open); at >= 0 && at < source.length; at++) {
    if (source[at] === open) deepest = Math.max(deepest, ++depth)
    else if (source[at] === close && depth > 0) depth--
  }
  return deepest
}

/** Runs of marks that can only open against those that can only close. */
function emphasisDepth(source: string): number {
  let depth = 0
  let deepest = 0
  for (const { 0: run, index } of source.matchAll(/[*_~]+/g)) {
    const opens = isSpace(source[index - 1])
    const closes = isSpace(source[index + run.length])
    if (opens && !closes) deepest = Math.max(deepest, ++depth)
    else if (closes && !opens) depth = Math.max(0, depth - run.length)
  }
  return deepest
}

const isSpace = (char: string | undefined): boolean => char === undefined || /\s/.test(char)
