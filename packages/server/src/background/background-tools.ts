import { z } from 'zod'
import { defineTool, type ToolDefinition } from '../tools/define-tool.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import { TOOL_NAMES } from '../words/tool-names.ts'

const DEFAULT_LINES = 100
const MAX_LINES = 2_000

/** What a background command has printed so far, and whether it still runs. */
export function bashOutput(tasks: BackgroundTasks): ToolDefinition {
  return defineTool({
    name: 'BashOutput',
    display_name: TOOL_NAMES.BashOutput,
    description: 'Read the last lines that a background command has printed, and whether it is still running.',
    provider: 'bash',
    risk: 'low',
    readOnly: true,
    replay: 'safe',
    input: z.object({ task_id: z.string().min(1), tail: z.int().min(1).max(MAX_LINES).default(DEFAULT_LINES) }),
    async run({ task_id, tail }, { session_id }) {
      const { status, exit_code, failure, output, truncated } = await tasks.read(session_id, task_id, tail)
      const code = exit_code === null ? '' : `, exit code ${exit_code}`
      const why = failure === undefined ? '' : `, ${failure}`
      return `Status: ${status}${code}${why}\n${truncated ? '… (earlier output left out)\n' : ''}${output}`
    },
  })
}

/** Ends a background command and everything it started. */
export function killBash(tasks: BackgroundTasks): ToolDefinition {
  return defineTool({
    name: 'KillBash',
    display_name: TOOL_NAMES.KillBash,
    description: 'Stop a background command and everything it started.',
    provider: 'bash',
    writesFiles: false,
    risk: 'low',
    replay: 'safe',
    input: z.object({ task_id: z.string().min(1) }),
    async run({ task_id }, { session_id }) {
      const { status } = await tasks.stop(session_id, task_id)
      return `${task_id} is ${status}.`
    },
  })
}
