type Place = { line: number; column: number }

/** Where the mistake is that `JSON.parse` has thrown, from 1. */
export function jsonErrorPlace(text: string, { message }: Error): Place {
  return placeAt(text, jsonErrorOffset(text, message))
}

/** `JSON.parse` tells where only for some mistakes. */
function jsonErrorOffset(text: string, message: string): number {
  const told = / at position (\d+)/.exec(message)?.[1]
  if (told !== undefined) return Number(told)
  const isStray = (length: number) => jsonError(text.slice(0, length)).startsWith('Unexpected token')
  if (!isStray(text.length)) return text.length
  // The shortest beginning that has the stray token ends with it.
  let [without, having] = [0, text.length]
  while (having - without > 1) {
    const middle = Math.floor((without + having) / 2)
    if (isStray(middle)) having = middle
    else without = middle
  }
  return having - 1
}

function jsonError(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: before.at(-1)!.length + 1 }
}
