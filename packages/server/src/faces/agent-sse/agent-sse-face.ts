import type { Face } from '../face.ts'
import { answerErrors } from './answer-errors.ts'
import { chatRoutes } from './chat-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { streamRoutes } from './stream-routes.ts'
import { Streams } from './streams.ts'

/** Agent events over SSE (docs: the agent SSE protocol). */
export const agentSseFace: Face = {
  capabilities: ['agent_sse'],
  mount(given) {
    const parts = { ...given, streams: new Streams(given.config.agentSse.maxConcurrent) }
    parts.door.signedIn((scope) => {
      answerErrors(scope, parts.logger)
      streamRoutes(scope, parts)
      chatRoutes(scope, parts)
      sessionRoutes(scope, parts)
    })
  },
}
