import { randomUUID } from 'node:crypto'
import { parseBoundedJson } from '@parley/protocol/wire'
import type { JsonObject } from '../ports.ts'
import { startGuarded } from '../sandbox/run-guarded.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { explain } from '../sandbox/explain-end.ts'
import { OutputExcerpt } from '../sandbox/output-excerpt.ts'
import { PYTHON_RUNNER } from './python-runner.ts'
import { listFiles, readFiles } from './read-skill.ts'
import { SkillError } from './skill.ts'
import { isServersFile } from './skill-path.ts'

export type PythonOptions = {
  sandbox: Sandbox
  leaseMs: number
  /** Of the skill. */
  directory: string
  /** What the code may change, and where it starts. */
  workspace: string
  env: Readonly<Record<string, string>>
  timeLimitMs: number
  signal: AbortSignal
  /** Which function to call, and with what; without it, all are listed. */
  call?: { tool: string; arguments: JsonObject }
}

/** Of all files together: they go to Python with every call. */
const MAX_BYTES = 8 * 1024 * 1024
/** Where a shell finds no such program. */
const NOT_FOUND = 127
/** Nobody's variables or folders lead to other modules than the skill's and Python's own; nothing is left behind. */
const COMMAND = 'exec python3 -I -B -X utf8 -c "$PARLEY_RUNNER"'
const SAID_CHARACTERS = 2_000

/** What the runner answers. Throws a `SkillError` when it does not, or says why it could not. */
export async function runPython(options: PythonOptions): Promise<JsonObject> {
  const { sandbox, leaseMs, directory, workspace, env, timeLimitMs, signal, call } = options
  if (sandbox.level === 'none')
    throw new SkillError('This server has no sandbox, and runs no tools of skills without one.')
  const mark = randomUUID()
  const request = JSON.stringify({ mark, files: await filesOf(directory), ...call })
  signal.throwIfAborted()
  const process = await startGuarded({
    sandbox,
    workspace,
    command: COMMAND,
    env: { ...env, PARLEY_RUNNER: PYTHON_RUNNER },
    leaseMs,
    timeLimitMs,
    takesInput: true,
  })
  process.input.end(`${request}\n`)
  const excerpt = new OutputExcerpt()
  process.output.on('data', (chunk: Buffer) => excerpt.add(chunk))
  signal.addEventListener('abort', process.kill, { once: true })
  if (signal.aborted) process.kill()
  const end = await process.ended
  signal.removeEventListener('abort', process.kill)
  signal.throwIfAborted()
  if (end.by === 'exit' && end.code === NOT_FOUND) throw new SkillError('There is no Python 3 where commands run.')
  const failure = explain(end, { timeLimitMs, isReadOnly: process.isReadOnly })
  const output = excerpt.whole()
  if (failure === null && output === undefined) throw new SkillError('It printed more than a megabyte.')
  const [said = '', answer] = (output ?? excerpt.text()).split(mark)
  if (failure !== null) throw new SkillError(`${failure}\n${said.slice(-SAID_CHARACTERS)}`.trimEnd())
  const value = answer === undefined ? undefined : parseBoundedJson(answer)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SkillError(`It ended without an answer that is JSON.\n${said.slice(-SAID_CHARACTERS)}`.trimEnd())
  const { error } = value as JsonObject
  if (error !== undefined) throw new SkillError(typeof error === 'string' ? error : JSON.stringify(error))
  return value as JsonObject
}

async function filesOf(directory: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  let bytes = 0
  for await (const { path, content } of readFiles(
    directory,
    (await listFiles(directory)).filter((path) => !isServersFile(path)),
  )) {
    bytes += content.length
    if (bytes > MAX_BYTES) throw new SkillError(`A skill with tools.py must not be larger than ${MAX_BYTES} bytes.`)
    files[path] = content.toString('base64')
  }
  return files
}
