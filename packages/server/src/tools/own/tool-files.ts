import type { Json, OwnTool } from '@parley/tools'
import type { FileDigests } from './file-digests.ts'

/** Where the files of own tools are, and how what they import is found. */
export type ToolFiles = {
  /** Modules whose exports, the default one or others, alone or in a list, are made by `defineTool`. Absolute paths. */
  files: readonly string[]
  /** Packages are looked for from here too, when the importing file finds none. */
  project: string
  /**
   * The files lie in a copy of a folder. What they import inside it is the copy's; packages, and files outside of it, are
   * found as from the original. People are told the original's paths.
   */
  moved?: { from: string; to: string }
  /** What they were when their tools were told to people. Of changed files nothing runs: it might be another tool by now. */
  digests?: FileDigests
}

/** A tool as far as it can be told to another process. */
export type ToolSpec = Omit<OwnTool, 'parse' | 'run' | symbol> & {
  /** One of the source's. */
  file: string
}

/** What is wrong with a file, so that nothing of it is offered. Lines and columns count from 1. */
export type ToolProblem = { file: string; line?: number; column?: number; message: string }

export type ListedTools = { tools: ToolSpec[]; problems: ToolProblem[] }

/** What a tool's process is asked for, one thing at a time. */
export type ProcessJob =
  | { type: 'list'; files: readonly string[] }
  | { type: 'call'; file: string; name: string; input: Json; context: CallContext }

/** How it is told: with a number that comes back with every word about it. */
export type Sent = (ProcessJob | { type: 'abort' }) & { job: string }

/** What a call is told of where it belongs; the rest is the process's own. */
export type CallContext = {
  session_id: string
  subject: string | null
  tool_call_id: string
  attempt: number
  workspace: string
}

export type Progress = { message: string; current?: number; total?: number }

/** What it says on the way, and in the end. */
export type ProcessWord =
  | { type: 'importing'; file: string }
  | { type: 'begun' }
  | ({ type: 'progress' } & Progress)
  | { type: 'listed'; tools: ToolSpec[]; problems: ToolProblem[] }
  /** `isSpent`: it must do nothing more. */
  | { type: 'done'; status: 'done' | 'error'; result: Json; isSpent: boolean }
