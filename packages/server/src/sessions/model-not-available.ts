import { AgentError } from '@parley/protocol'

export function modelNotAvailable(model: string): AgentError {
  return new AgentError(
    'model_not_available',
    `There is no model ${model}; GET /api/config/models lists those that are.`,
    { details: { model } },
  )
}
