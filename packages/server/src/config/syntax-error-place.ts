import { spawnSync } from 'node:child_process'

type Place = { line: number; column: number }

/** Where in a configuration file the mistake is that stopped its parser, from 1; `undefined` for any other error. */
export function syntaxErrorPlace(file: string, text: string, error: unknown): Place | undefined {
  if (!(error instanceof SyntaxError)) return undefined
  if (file.endsWith('.json')) return placeAt(text, jsonErrorOffset(text, error.message))
  // Of TypeScript the error itself shows the line; of JavaScript only a check of the file does.
  return shownPlace(error.stack ?? '') ?? shownPlace(spawnSync(process.execPath, ['--check', file]).stderr.toString())
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

/** Reads Node's way to show a place: a line `file:3`, some of the source, and `^^^` under the mistake. */
function shownPlace(shown: string): Place | undefined {
  const line = /^\S.*:(\d+)$/m.exec(shown)?.[1]
  const carets = /^([^\S\n]*)\^+$/m.exec(shown)?.[1]
  return line === undefined || carets === undefined ? undefined : { line: Number(line), column: carets.length + 1 }
}
