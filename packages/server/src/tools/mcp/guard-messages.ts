import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { isDeeper, MAX_JSON_DEPTH } from '@parley/protocol/wire'

/** A server may ask us something this often; there is hardly anything that we answer. */
const REQUESTS_A_SECOND = 20
/** What JSON-RPC keeps for servers' own errors. */
const REFUSED = -32_000
/** What lies around a schema or a result in a message. */
const ENVELOPE_DEPTH = 8

/**
 * Looks at every message before the client does. One that nests too deeply becomes an error of the call it answers;
 * questions that come faster than anybody asks are dropped, because each would cost us a request of our own.
 */
export function guardMessages<T extends Transport>(transport: T, now: () => number): T {
  let deliver: Transport['onmessage']
  let [since, asked] = [0, 0]
  const isTooMuch = (): boolean => {
    if (now() - since >= 1000) [since, asked] = [now(), 0]
    return ++asked > REQUESTS_A_SECOND
  }
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => deliver,
    set(handler: Transport['onmessage']) {
      deliver =
        handler &&
        ((message, extra) => {
          const isRequest = 'method' in message && 'id' in message
          if (isRequest && isTooMuch()) return
          if (isDeeper(message, MAX_JSON_DEPTH + ENVELOPE_DEPTH)) handler(tooDeep(message), extra)
          else handler(message, extra)
        })
    },
  })
  return transport
}

function tooDeep(message: JSONRPCMessage): JSONRPCMessage {
  const error = { code: REFUSED, message: `What it sent nests deeper than ${MAX_JSON_DEPTH} levels.` }
  if ('id' in message && message.id !== undefined) return { jsonrpc: '2.0', id: message.id, error }
  return { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data: error.message } }
}
