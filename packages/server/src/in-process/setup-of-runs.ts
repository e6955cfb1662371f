import { createPolicy } from '../confirm/policy.ts'
import type { RunSetup } from '../runs/runs-options.ts'
import type { ToolsOfSessions } from '../session-tools.ts'
import { toolsFor } from '../tools/registry.ts'
import { asDefinition } from './given-tool.ts'
import type { GivenSetup, InProcessOptions } from './in-process.ts'

/** A program's runs have its own tools and no others, not even those of the loop; the one policy judges their calls. */
export function setupOfRuns({ setup, language }: Pick<InProcessOptions, 'setup' | 'language'>): ToolsOfSessions {
  const policy = createPolicy({ rules: [], headless: 'fail' })
  const bind = (session_id: string, given: GivenSetup): RunSetup => ({
    system: given.system,
    maxTurns: given.maxTurns,
    consentMs: given.consentMs,
    secrets: async () => [],
    hasLoopTool: () => false,
    tools: toolsFor(() => given.tools().map(asDefinition), {
      ...{ session_id, language, policy },
      // Its own functions know where they work.
      workspace: async () => '',
      subject: async () => null,
      env: {},
      notify: () => undefined,
      disabled: [],
      isPlanning: false,
      isHeadless: false,
      isNamed: () => true,
    }),
    [Symbol.dispose]: () => undefined,
  })
  return {
    forRun: async ({ session, run, options }) =>
      bind(session.id, setup({ session_id: session.id, run_id: run.id, model: options.model })),
    warm: async () => undefined,
    toLookAt: async ({ id, model }: { id: string; model?: string | null }) =>
      bind(id, setup({ session_id: id, run_id: '', model: model ?? '' })),
  }
}
