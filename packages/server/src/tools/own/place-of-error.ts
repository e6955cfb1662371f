import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainSyntax } from './plain-syntax.ts'
import type { ToolProblem } from './tool-files.ts'

const MESSAGE_SHOWN = 2_000

/** What importing `file` threw, and where: in it, or in what it imports. */
export function placeOfError(error: unknown, file: string): ToolProblem {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const message = (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_SHOWN)
  const found = shown(stack) ?? missing(message) ?? checked(error, file) ?? thrown(stack, file)
  const problem = { file, ...found, message }
  return error instanceof SyntaxError ? plainSyntax(problem, textOf(problem.file)) : problem
}

type Place = Omit<ToolProblem, 'message'>

/** Node's way to show a mistake: first a line `file:3`, some of the source, and mostly `^^^` under it. */
function shown(text: string): Place | undefined {
  const [, path, line] = /^((?:file:\/\/)?\/.*):(\d+)\n/.exec(text) ?? []
  if (path === undefined) return undefined
  const carets = /^([^\S\n]*)\^+$/m.exec(text)?.[1]
  return { file: pathOf(path), line: Number(line), ...(carets !== undefined && { column: carets.length + 1 }) }
}

/** What cannot be found is named, and who wanted it; the line is where that says so. */
function missing(message: string): Place | undefined {
  const [, wanted, importer] = /^Cannot find (?:module|package) '(.+)' imported from (.+)$/m.exec(message) ?? []
  if (wanted === undefined || importer === undefined) return undefined
  const file = pathOf(importer)
  const lines = textOf(file).split('\n')
  const at = lines.findIndex((line) => /\b(?:import|from|require)\b/.test(line) && line.includes(basename(wanted)))
  return at < 0 ? { file } : { file, line: at + 1, column: lines[at]!.indexOf(basename(wanted)) + 1 }
}

/** A mistake in JavaScript does not say where it is; a second look at the file does. */
function checked(error: unknown, file: string): Place | undefined {
  if (!(error instanceof SyntaxError)) return undefined
  return shown(spawnSync(process.execPath, ['--check', file]).stderr.toString())
}

/** The first line of the file itself that was under way; else of any that nobody installed. */
function thrown(stack: string, file: string): Place | undefined {
  const frames = [...stack.matchAll(/(?:\(|at |async )((?:file:\/\/)?\/[^\s()]+?):(\d+):(\d+)\)?$/gm)].map(
    ([, path, line, column]) => ({
      file: pathOf(path!),
      line: Number(line),
      column: Number(column),
    }),
  )
  return frames.find((frame) => frame.file === file) ?? frames.find((frame) => !frame.file.includes('/node_modules/'))
}

function pathOf(place: string): string {
  return place.startsWith('file:') ? fileURLToPath(place) : place
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
