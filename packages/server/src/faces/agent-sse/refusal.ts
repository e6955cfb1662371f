import type { AgentFailure } from '@parley/protocol/agent-sse'

/** What only this protocol refuses. */
const REFUSALS = {
  CONFIRMATION_MISMATCH: { status: 409, recoverable: false },
  RESUME_EXPIRED: { status: 410, recoverable: false },
  MAX_CONCURRENT_EXCEEDED: { status: 503, recoverable: false },
} as const

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly failure: AgentFailure

  constructor(code: keyof typeof REFUSALS, message: string) {
    super(message)
    const { status, recoverable } = REFUSALS[code]
    this.status = status
    this.failure = { code, message, recoverable }
  }
}
