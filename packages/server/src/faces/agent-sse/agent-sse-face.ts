import { agentSseSchema } from '../../config/agent-sse-options.ts'
import type { Face } from '../face.ts'
import { answerErrors } from './answer-errors.ts'
import { chatRoutes } from './chat-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { streamRoutes } from './stream-routes.ts'
import { Streams } from './streams.ts'

/** The agent SSE protocol (docs/spec/agent-sse.md): what an agent does, event by event. */
export const agentSseFace: Face = {
  mount(given) {
    if (given.config.faces.agentSse === false) return
    const options = agentSseSchema.parse(given.config.faces.agentSse ?? {})
    const parts = { ...given, options, streams: new Streams(options.maxConcurrent) }
    parts.door.signedIn((scope) => {
      answerErrors(scope, parts.logger)
      streamRoutes(scope, parts)
      chatRoutes(scope, parts)
      sessionRoutes(scope, parts)
      parts.mountKnowledge(scope, '/api/agent/knowledge')
    })
  },
}
