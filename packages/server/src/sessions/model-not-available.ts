import { AgentError } from '@parley/protocol'

/** `agent`: whoever wants it, when that is not the one who asks. */
export function modelNotAvailable(model: string, agent: string | null = null): AgentError {
  const message =
    agent === null
      ? `There is no model ${model}; GET /api/config/models lists those that are.`
      : `The agent ${agent} wants the model ${model}, which this server does not have. Name another one, or change its agent.yaml.`
  return new AgentError('model_not_available', message, { details: { model, ...(agent !== null && { agent }) } })
}
