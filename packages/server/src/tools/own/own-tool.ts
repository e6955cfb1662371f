import { checkAgainst } from '../../foreign/check-schema.ts'
import type { ToolDefinition } from '../define-tool.ts'
import type { ToolSpec } from './tool-files.ts'

/** A tool of the operator's, as sessions have it. Its arguments are checked before anybody is asked, and again where it runs. */
export function ownTool(spec: Omit<ToolSpec, 'file'>, run: ToolDefinition['run']): ToolDefinition {
  const { name, display_name, description, risk, requiresConfirmation, readOnly, replay, input } = spec
  return {
    ...{ name, display_name, description, risk, requiresConfirmation, readOnly, replay, input },
    provider: 'own',
    async check(given) {
      const found = await checkAgainst(input, given)
      if ('problems' in found && found.problems.length === 0) return { ok: true, value: given }
      const problems = 'problems' in found ? found.problems : ['invalid' in found ? found.invalid : found.undecided]
      const told = problems.map((problem) => (problem.startsWith('/') ? problem : `arguments ${problem}`))
      return { ok: false, message: `${name} was called with arguments that do not fit. ${told.join('; ')}` }
    },
    run,
  }
}
