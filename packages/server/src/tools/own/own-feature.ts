import { type OwnTool, runTool } from '@parley/tools'
import { dirname } from 'node:path'
import type { Feature, World } from '../../feature.ts'
import type { ToolDefinition } from '../define-tool.ts'
import { showProgress } from '../show-progress.ts'
import { ownEnvironment } from './own-environment.ts'
import { ownTool } from './own-tool.ts'
import { ToolProcesses } from './tool-processes.ts'
import type { Progress, ToolFiles, ToolSpec } from './tool-files.ts'

export type OwnFeature = Feature & {
  processes: ToolProcesses
  tools: ToolDefinition[]
  /** Tools of another source than the configuration, as sessions have them. */
  toolsOf: (source: ToolFiles, specs: readonly ToolSpec[]) => ToolDefinition[]
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The functions of whoever runs the server, as tools. Those of a configuration file run in processes of their own; those
 * that a program gives to `start` are closures of that program, and run in it.
 */
export function ownFeature({ config, clock, logger }: World, environment: Environment): OwnFeature {
  const { tools, toolsFile, language, leaseMs } = config
  const processes = new ToolProcesses({
    environment: ownEnvironment(environment),
    leaseMs,
    onSaid: (line, tool) => logger[line.includes('\n') ? 'warn' : 'info']({ tool }, line),
  })
  const reporter = ({ display_name }: Pick<OwnTool, 'display_name'>, notify: Parameters<typeof showProgress>[1]) => {
    const show = showProgress(display_name[language], notify, () => clock.elapsed())
    return ({ message, current, total }: Progress) => show({ message, progress: current, total })
  }
  const inProcess = (source: ToolFiles, tool: ToolSpec) =>
    ownTool(tool, async (input, { session_id, subject, tool_call_id, attempt, workspace, signal, notify }) =>
      processes.call(source, {
        ...{ tool, input, signal },
        context: { session_id, subject, tool_call_id, attempt, workspace },
        onProgress: reporter(tool, notify),
      }),
    )
  const inHere = (tool: OwnTool) =>
    ownTool(tool, async (input, { session_id, subject, tool_call_id, attempt, workspace, signal, notify }) => {
      const report = reporter(tool, notify)
      const progress = (message: string, done?: { current: number; total?: number }) => report({ message, ...done })
      const context = { session_id, subject, tool_call_id, attempt, workspace, signal, progress }
      const { status, result } = await runTool(tool, input, context)
      return status === 'error' ? { result, isError: true } : { result }
    })
  const toolsOf: OwnFeature['toolsOf'] = (source, specs) => specs.map((tool) => inProcess(source, tool))
  const configured = () => {
    if (toolsFile === undefined) return tools.map(inHere)
    const { path, digests } = toolsFile
    const source = { files: [path], project: dirname(path), digests }
    return toolsOf(
      source,
      tools.map((tool) => ({ ...tool, file: path })),
    )
  }
  return {
    name: 'own',
    processes,
    tools: configured(),
    toolsOf,
    own: tools.map(({ name }) => name),
    close: () => processes[Symbol.dispose](),
  }
}
