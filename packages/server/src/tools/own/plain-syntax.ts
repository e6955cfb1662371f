import type { ToolProblem } from './tool-files.ts'

/** What a parser says of a mistake in `text`, said for the person who made it, and where that person looks for it. */
export function plainSyntax(problem: ToolProblem, text: string): ToolProblem {
  const { line, column, message } = problem
  if (line === undefined) return problem
  if (/<eof>|end of input/.test(message)) return { ...problem, message: ENDS }
  const lines = text.split('\n')
  // A string without its end is noticed on its own line, or where the next one begins.
  for (const at of [line - 1, line]) {
    const start = openString(lines[at - 1] ?? '')
    if (start !== undefined) return { ...problem, line: at, column: start + 1, message: NEVER_CLOSED }
  }
  const word = column === undefined ? undefined : /^[\p{L}\p{N}_$]+/u.exec(lines[line - 1]!.slice(column - 1))?.[0]
  return word === undefined ? problem : { ...problem, message: message.replace("'ident'", `'${word}'`) }
}

const ENDS = 'The file ends too early: a bracket, a brace or a quote that was opened is not closed.'
const NEVER_CLOSED = 'The string that begins here has no end on its line.'

/** Where a string begins that its line does not end. */
function openString(line: string): number | undefined {
  // Whole strings and templates, a comment, or a quote that is left over.
  const parts = line.matchAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\/.*|(?<open>['"])/g)
  for (const { groups, index } of parts) if (groups?.['open'] !== undefined) return index
  return undefined
}
