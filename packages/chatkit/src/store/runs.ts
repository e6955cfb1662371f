import type { AdapterIO } from '../model/chat-adapter.ts'
import { chatKitError, type ChatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import type { ChatOp } from '../model/chat-op.ts'
import { newID } from '../model/new-id.ts'
import type { Bridge } from './bridge.ts'
import { readRun } from './read-run.ts'
import type { StoreGround } from './store-ground.ts'
import type { TokenGate } from './token-gate.ts'

type RunsOptions = {
  gate: TokenGate
  bridge: Bridge
  /** After the state says so; not for runs that were abandoned. */
  onEnd: (answer: ChatMessage | undefined, error?: ChatKitError) => void
}

/** One `send()`, from the user message to the end of the stream. */
export type Run = {
  readonly id: string
  readonly signal: AbortSignal
  /** The answer when the run has completed or was stopped; rejects when it failed. */
  readonly finished: Promise<ChatMessage | undefined>
}

export type Runs = {
  active: () => Run | null
  /** Takes the place of the active run; there must be none. */
  begin: () => Run
  /** Reads the ops of a run that has begun, until it ends. */
  follow: (run: Run, source: (io: AdapterIO) => AsyncIterable<ChatOp>) => void
  fail: (run: Run, error: unknown) => void
  /** The user stops it: what was shown stays, and the back end is told. */
  stop: () => Promise<void>
  /** Its conversation is left: nothing of it is shown any more. */
  abandon: () => void
}

const STOP_PATIENCE_MS = 3000

/** What waits for a run's end is refused during it. */
export const busy = () => chatKitError('busy', 'The assistant is still answering.')

/** One run at a time. Whatever arrives for a run that is no longer the active one is dropped. */
export function createRuns(
  { getSnapshot, dispatch, queueOps, flush, options, openIO }: StoreGround,
  { gate, bridge, onEnd }: RunsOptions,
): Runs {
  const { adapter, idleTimeoutMs } = options
  let active: ActiveRun | null = null

  /** Finds the run's message again after the state was told that the run is over. */
  const answerID = () => {
    flush()
    return getSnapshot().run?.messageID
  }
  const answer = (id: string | undefined) => getSnapshot().messages.findLast(({ messageID }) => messageID === id)

  /** The back end works on although nobody here reads it; whoever follows the conversation tells when that is over. */
  const goesOn = ({ hasContent }: ActiveRun) => adapter.follow !== undefined && hasContent

  const release = (run: ActiveRun) => {
    clearTimeout(run.idleTimer)
    active = null
    run.controller.abort()
  }

  const end = (run: Run, status: 'completed' | 'stopped' | 'failed', error?: ChatKitError) => {
    if (!active || active !== run) return
    const { settle, reject } = active
    release(active)
    const id = answerID()
    dispatch({ type: 'run:end', status, ...(error && { error }) })
    const message = answer(id)
    if (error) reject(error)
    else settle(message)
    onEnd(message, error)
  }

  const fail = (run: Run, error: unknown) => end(run, 'failed', toChatKitError(error))

  const alive = (run: ActiveRun) => {
    clearTimeout(run.idleTimer)
    if (active !== run) return
    const expired = () => fail(run, chatKitError('timeout', `Nothing arrived for ${idleTimeoutMs} ms.`))
    run.idleTimer = setTimeout(expired, idleTimeoutMs)
  }

  const take = (run: ActiveRun, op: ChatOp): boolean => {
    if (active !== run) return false
    alive(run)
    if (op.op === 'error') throw op.error
    if (op.op === 'end') end(run, op.status ?? 'completed')
    else if (op.op === 'handle') run.handle = op.value
    else if (op.op === 'bridge') bridge.deliver(op)
    else {
      run.hasContent ||= op.op !== 'conversation' && op.op !== 'message' && op.op !== 'connection'
      queueOps(op)
    }
    return active === run
  }

  return {
    active: () => active,
    begin() {
      active = newRun()
      dispatch({ type: 'run:start', runID: active.id })
      return active
    },
    follow(run, source) {
      const own = run as ActiveRun
      const io = openIO(run.signal, () => alive(own))
      alive(own)
      readRun({
        gate,
        ops: () => source(io),
        take: (op) => take(own, op),
        mayRepeat: () => active === own && !own.hasContent && !io.usedRefresh(),
      })
        .then(() => end(own, 'completed'))
        .catch((error: unknown) => fail(own, error))
    },
    fail,
    async stop() {
      if (!active) return
      const { handle } = active
      const { conversationID } = getSnapshot()
      end(active, 'stopped')
      if (!adapter.stop) return
      const io = openIO(AbortSignal.timeout(STOP_PATIENCE_MS))
      const told = adapter.stop({ conversationID, ...(handle !== undefined && { handle }) }, io)
      await Promise.race([told, io.wait(STOP_PATIENCE_MS)]).catch(() => {})
    },
    abandon() {
      const run = active
      if (!run) return
      const message = answer(answerID())
      release(run)
      dispatch({ type: 'run:abandon', goesOn: goesOn(run) })
      run.settle(message)
    },
  }
}

type ActiveRun = Run & {
  controller: AbortController
  handle: unknown
  hasContent: boolean
  idleTimer: ReturnType<typeof setTimeout> | undefined
  settle: (answer: ChatMessage | undefined) => void
  reject: (error: ChatKitError) => void
}

function newRun(): ActiveRun {
  const controller = new AbortController()
  const { promise: finished, resolve: settle, reject } = Promise.withResolvers<ChatMessage | undefined>()
  finished.catch(() => {}) // The failure is in the list; whoever awaits the run still gets it.
  const { signal } = controller
  const untouched = { handle: undefined, hasContent: false, idleTimer: undefined }
  return { id: newID('run'), signal, finished, controller, settle, reject, ...untouched }
}
