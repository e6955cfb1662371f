import { parseBoundedJson } from '@parley/protocol/wire'
import { z } from 'zod'
import type { JsonValue } from '../../ports.ts'
import { startGuarded } from '../../sandbox/run-guarded.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { defineTool, type ToolContext, type ToolDefinition } from '../define-tool.ts'
import { explain } from '../../sandbox/explain-end.ts'
import { OutputExcerpt } from '../../sandbox/output-excerpt.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'

export type BashOptions = { sandbox: Sandbox; background: Background; leaseMs: number }

/** Where commands go on after the call that started them. */
export type Background = {
  start(
    command: Pick<ToolContext, 'session_id' | 'workspace' | 'env'> & { command: string },
  ): Promise<{ task_id: string }>
}

const DEFAULT_TIMEOUT_MS = 120_000
const MAX_TIMEOUT_MS = 600_000
/** Below what the kernel takes as one argument. */
const MAX_COMMAND_CHARACTERS = 30_000

/** Runs commands of the model in the session's workspace; without a sandbox every one of them asks a person first. */
export function bash({ sandbox, background, leaseMs }: BashOptions): ToolDefinition {
  const confined =
    sandbox.level === 'none'
      ? 'It runs with the rights of the server.'
      : 'It runs in a sandbox: only the workspace can be changed, and there may be no network.'
  return defineTool({
    name: 'Bash',
    display_name: TOOL_NAMES.Bash,
    description: `Run a command with bash in the workspace. ${confined} Returns what it printed. Whatever it started ends with it; with run_in_background it goes on after the call, BashOutput reads what it printed and KillBash stops it.`,
    provider: 'bash',
    risk: sandbox.level === 'none' ? 'high' : 'medium',
    input: z.object({
      command: z.string().min(1).max(MAX_COMMAND_CHARACTERS).refine(hasNoNul, 'must not contain NUL'),
      timeout_ms: z.int().min(1).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
      run_in_background: z
        .boolean()
        .default(false)
        .describe('Instead of timeout_ms a limit of some hours applies then'),
    }),
    async run({ command, timeout_ms, run_in_background }, context) {
      if (!run_in_background) return runCommand({ sandbox, leaseMs, command, timeout_ms, context })
      const { session_id, workspace, env } = context
      const { task_id } = await background.start({ session_id, workspace, env, command })
      return `Started in the background as ${task_id}.`
    },
  })
}

async function runCommand({
  sandbox,
  leaseMs,
  command,
  timeout_ms,
  context: { workspace, env, signal, notify },
}: {
  sandbox: Sandbox
  leaseMs: number
  command: string
  timeout_ms: number
  context: ToolContext
}): Promise<JsonValue> {
  signal.throwIfAborted()
  const process = await startGuarded({ sandbox, workspace, command, env, leaseMs, timeLimitMs: timeout_ms })
  const excerpt = new OutputExcerpt()
  process.output.on('data', (chunk: Buffer) => excerpt.add(chunk))
  signal.addEventListener('abort', process.kill, { once: true })
  if (signal.aborted) process.kill()
  const end = await process.ended
  signal.removeEventListener('abort', process.kill)
  // Nobody can tell what a command has changed.
  notify('workspace:files_changed', { file_path: null })
  signal.throwIfAborted()
  const failure = explain(end, { timeLimitMs: timeout_ms, isReadOnly: process.isReadOnly })
  if (failure !== null) throw new Error(`${failure}\n${excerpt.text()}`.trimEnd())
  return withCard(excerpt.whole()) ?? (excerpt.text() || '(no output)')
}

/** An output that is a JSON object with `_meta` is handed on untouched, however long. */
function withCard(output: string | undefined): string | undefined {
  if (!output?.trimStart().startsWith('{') || !output.includes('"_meta"')) return undefined
  const value = parseBoundedJson(output)
  return typeof value === 'object' && value !== null && '_meta' in value ? output : undefined
}

function hasNoNul(text: string): boolean {
  return !text.includes('\0')
}
