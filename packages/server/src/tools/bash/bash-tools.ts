import type { ToolDefinition } from '../define-tool.ts'
import { bashOutput, killBash } from '../../background/background-tools.ts'
import { bash, type BashOptions } from './bash.ts'

/** The `bash` provider: commands, and what goes with those that run in the background. */
export function bashTools(options: BashOptions): ToolDefinition[] {
  return [bash(options), bashOutput(options.tasks), killBash(options.tasks)]
}
