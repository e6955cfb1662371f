/** [14.7] What a chat in an iframe and the page around it send each other. */
export type BladeBridgeEnvelope = {
  __bladeBridge: true
  direction: 'host-to-agent' | 'agent-to-host'
  action: string
  payload?: unknown
  meta?: BridgeMeta
}

export type BridgeMeta = { sessionId?: string; toolCallId?: string; timestamp?: number }

export const BRIDGE_PROTOCOL = '1.0'

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

export function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
}

/** Origins, and nothing that would let others in. */
export function checkOrigins(origins: readonly string[]): ReadonlySet<string> {
  return new Set(
    origins.map((given) => {
      const origin = URL.canParse(given) ? new URL(given).origin : 'null'
      // A star matches nothing here, and would look as if it did.
      const isOrigin = /^https?:[^*]+$/.test(origin) && (given === origin || given === `${origin}/`)
      if (isOrigin) return origin
      throw new Error(`allowedOrigins takes origins such as https://app.example.com, not "${given}".`)
    }),
  )
}
