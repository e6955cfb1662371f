import type { ErrorBody } from '@parley/protocol'

/** A REST call was answered with 4xx or 5xx. `detail` is for people, `code` is stable (wire protocol, section 15). */
export class ParleyApiError extends Error {
  // Not this class's own name: programs written for the published kit compare it, and `agent-kit` gives them this class.
  override readonly name = 'BladeApiError'
  readonly status: number
  readonly detail: string
  readonly code: string | null
  /** The whole answer, with whatever else it carries: `errors`, `session_id`, `run_id` … */
  readonly body: Partial<ErrorBody>

  constructor(status: number, body: Partial<ErrorBody>) {
    const detail = typeof body.detail === 'string' ? body.detail : `The server answered with status ${status}.`
    super(detail)
    this.status = status
    this.detail = detail
    this.code = body.code ?? null
    this.body = body
  }
}
