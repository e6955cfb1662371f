import type { Egress } from '../../egress/egress.ts'
import type { Clock } from '../../ports.ts'
import { askBackend, type BackendAnswer, type BackendRequest } from './ask-backend.ts'

export type Backends = { egress: Egress; clock: Clock; version: string }

/** Without the time that is left, and the body for the n-th try. */
export type BackendCall = Omit<BackendRequest, 'timeoutMs' | 'body'> & { bodyOf: (tried: number) => string }

/** A request is sent at most this often within its time. */
const TRIES = 4
const FIRST_WAIT_MS = 250
const GROWTH = 3

/** Asks until there is an answer, all within the tool's time; more than once only where `replay` lets it. */
export async function callBackend({ bodyOf, ...call }: BackendCall, backends: Backends): Promise<BackendAnswer> {
  const { clock } = backends
  const { tool, signal } = call
  let { isAgain } = call
  const deadline = clock.elapsed() + tool.timeoutMs
  for (let tried = 1; ; tried++) {
    const timeoutMs = Math.max(1, Math.ceil(deadline - clock.elapsed()))
    const answer = await askBackend({ ...call, isAgain, body: bodyOf(tried), timeoutMs }, backends)
    if (answer.type !== 'failed' || !answer.mayRetry || tool.replay === 'never' || tried === TRIES) return answer
    isAgain ||= answer.isUnknown
    const wait = answer.retryAfterMs ?? FIRST_WAIT_MS * GROWTH ** (tried - 1)
    if (clock.elapsed() + wait >= deadline) return answer
    await clock.sleep(wait, signal)
    signal.throwIfAborted()
  }
}
