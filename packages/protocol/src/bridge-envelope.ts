/** [W14.7] What a chat in an iframe and the page around it send each other. */
export type BladeBridgeEnvelope = {
  __bladeBridge: true
  direction: 'host-to-agent' | 'agent-to-host'
  action: string
  payload?: unknown
  meta?: BridgeMeta
}

export type BridgeMeta = { sessionId?: string; toolCallId?: string; timestamp?: number }

export const BRIDGE_PROTOCOL = '1.0'

export function makeEnvelope(
  direction: BladeBridgeEnvelope['direction'],
  { action, payload, meta = {} }: Pick<BladeBridgeEnvelope, 'action' | 'payload' | 'meta'>,
  timestamp: number,
): BladeBridgeEnvelope {
  return {
    __bladeBridge: true,
    direction,
    action,
    ...(payload !== undefined && { payload }),
    meta: { ...meta, timestamp },
  }
}

/** A message as an envelope in the wanted direction; `null` for everything else that windows send around. */
export function readEnvelope(
  data: unknown,
  direction: BladeBridgeEnvelope['direction'],
): (Required<Pick<BladeBridgeEnvelope, 'action' | 'meta'>> & { payload: unknown }) | null {
  const envelope = asRecord(data)
  if (envelope?.['__bladeBridge'] !== true || envelope['direction'] !== direction) return null
  const { action, payload } = envelope
  if (typeof action !== 'string' || action === '') return null
  return { action, payload, meta: asRecord(envelope['meta']) ?? {} }
}

/** A message of a page, or of a frame: anything. */
function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
}

/**
 * To whom the page in the frame speaks: to the page around it, once that was heard or as far as the browser names it; else
 * to whoever of the list it may be. Never to everybody.
 */
export function hostOrigins(allowed: ReadonlySet<string>, heard: string | null, parent?: string): string[] {
  if (heard !== null) return [heard]
  return parent === undefined ? [...allowed] : [parent].filter((origin) => allowed.has(origin))
}

/** As browsers write them: lower case, no path, no port that the scheme implies. A star would match nothing, and look as if. */
const ORIGIN = /^(https?:\/\/(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::\d{1,5})?)\/?$/
const IMPLIED_PORT = /^(?:http:.*:80|https:.*:443)$/

/** Origins, and nothing that would let others in. */
export function checkOrigins(origins: readonly string[]): ReadonlySet<string> {
  return new Set(
    origins.map((given) => {
      const origin = ORIGIN.exec(given)?.[1]
      if (origin !== undefined && !IMPLIED_PORT.test(origin)) return origin
      throw new Error(`allowedOrigins takes origins such as https://app.example.com, not "${given}".`)
    }),
  )
}
