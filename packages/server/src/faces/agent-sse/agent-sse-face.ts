import type { Face } from '../face.ts'
import { answerErrors } from './answer-errors.ts'
import { streamRoutes } from './stream-routes.ts'

/** Agent events over SSE (docs: the agent SSE protocol). */
export const agentSseFace: Face = {
  capabilities: ['agent_sse'],
  mount(parts) {
    parts.door.signedIn((scope) => {
      answerErrors(scope, parts.logger)
      streamRoutes(scope, parts)
    })
  },
}
