import type { Model } from '@parley/server/in-process'

/** A model that begins with one given call; whatever it is asked after that, the other one answers. */
export function answeringFirst(call: { name: string; arguments: Record<string, unknown> }, model: Model): Model {
  let isFirst = true
  return {
    async *stream(request) {
      if (!isFirst) return yield* model.stream(request)
      isFirst = false
      yield { type: 'accepted', model: 'rebuilt' }
      yield {
        type: 'tool_call',
        call: { id: 'call_rebuilt', name: call.name, arguments: JSON.stringify(call.arguments) },
      }
      yield { type: 'finish', reason: 'tool_calls', usage: null }
    },
  }
}
