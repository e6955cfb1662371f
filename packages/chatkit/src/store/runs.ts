import type { AdapterIO, ChatAdapter } from '../model/chat-adapter.ts'
import { chatKitError, type ChatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import type { ChatOp } from '../model/chat-op.ts'
import { newID } from '../model/new-id.ts'
import type { OpenIO } from './adapter-io.ts'
import type { StateHolder } from './state-holder.ts'
import { failureOf, type TokenGate } from './token-gate.ts'

export type RunsOptions = {
  holder: StateHolder
  adapter: Pick<ChatAdapter, 'stop' | 'follow'>
  gate: TokenGate
  openIO: OpenIO
  /** A run that hears nothing for this long has failed. */
  idleTimeoutMs: number
  onBridge: (action: string, payload: unknown, info: { toolCallID: string }) => void
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
  /** An action for the host page; the same one again is not delivered. */
  bridge: (op: Extract<ChatOp, { op: 'bridge' }>) => void
  /** Its conversation is left: nothing of it is shown any more. */
  abandon: () => void
}

const STOP_PATIENCE_MS = 3000

type ActiveRun = Run & {
  controller: AbortController
  handle: unknown
  hasContent: boolean
  idleTimer: ReturnType<typeof setTimeout> | undefined
  settle: (answer: ChatMessage | undefined) => void
  reject: (error: ChatKitError) => void
}

/** One run at a time. Whatever arrives for a run that is no longer the active one is dropped. */
export function createRuns({ holder, adapter, gate, openIO, idleTimeoutMs, onBridge, onEnd }: RunsOptions): Runs {
  let active: ActiveRun | null = null
  /** All of them: who follows a conversation tells of the same ones again and again. */
  const bridged = new Set<string>()

  /** Finds the run's message again after the state was told that the run is over. */
  const answerID = () => {
    holder.flush()
    return holder.getSnapshot().run?.messageID
  }
  const answer = (id: string | undefined) => holder.getSnapshot().messages.findLast(({ messageID }) => messageID === id)

  /** The back end works on although nobody here reads it; whoever follows the conversation tells when that is over. */
  const goesOn = ({ hasContent }: ActiveRun) => adapter.follow !== undefined && hasContent

  const release = (run: ActiveRun) => {
    clearTimeout(run.idleTimer)
    active = null
    run.controller.abort()
  }

  const end = (run: ActiveRun, status: 'completed' | 'stopped' | 'failed', error?: ChatKitError) => {
    if (active !== run) return
    release(run)
    const id = answerID()
    holder.dispatch({ type: 'run:end', status, ...(error && { error }) })
    const message = answer(id)
    if (error) run.reject(error)
    else run.settle(message)
    onEnd(message, error)
  }

  const alive = (run: ActiveRun) => {
    clearTimeout(run.idleTimer)
    if (active !== run) return
    const expired = () => end(run, 'failed', chatKitError('timeout', `Nothing arrived for ${idleTimeoutMs} ms.`))
    run.idleTimer = setTimeout(expired, idleTimeoutMs)
  }

  const take = (run: ActiveRun, op: ChatOp) => {
    if (op.op === 'handle') run.handle = op.value
    else if (op.op === 'bridge') bridge(op)
    else {
      run.hasContent ||= op.op !== 'conversation' && op.op !== 'message' && op.op !== 'connection'
      holder.queueOps(op)
    }
  }

  const bridge = ({ id, action, payload, toolCallID = id }: Extract<ChatOp, { op: 'bridge' }>) => {
    if (bridged.has(id)) return
    bridged.add(id)
    onBridge(action, payload, { toolCallID })
  }

  const read = async (run: ActiveRun, ops: AsyncIterable<ChatOp>) => {
    for await (const op of ops) {
      if (active !== run) return
      alive(run)
      if (op.op === 'error') throw op.error
      if (op.op === 'end') return end(run, op.status ?? 'completed')
      take(run, op)
    }
    end(run, 'completed')
  }

  /** The whole request is made once more, with a new token, if it was refused for the old one before any content. */
  const readWithRetry = async (run: ActiveRun, source: (io: AdapterIO) => AsyncIterable<ChatOp>) => {
    const io = openIO(run.signal, () => alive(run))
    const used = gate.token()
    try {
      return await read(run, source(io))
    } catch (error) {
      if (run.hasContent || io.usedRefresh() || !gate.canRefresh(failureOf(error))) throw error
    }
    if (active !== run) return
    await gate.refresh(used)
    if (active === run) await read(run, source(io))
  }

  const stop = async () => {
    const run = active
    if (!run) return
    const { conversationID } = holder.getSnapshot()
    end(run, 'stopped')
    if (!adapter.stop) return
    const io = openIO(AbortSignal.timeout(STOP_PATIENCE_MS))
    const told = adapter.stop({ conversationID, ...(run.handle !== undefined && { handle: run.handle }) }, io)
    await Promise.race([told, io.wait(STOP_PATIENCE_MS)]).catch(() => {})
  }

  return {
    active: () => active,
    begin() {
      const controller = new AbortController()
      const { promise: finished, resolve: settle, reject } = Promise.withResolvers<ChatMessage | undefined>()
      finished.catch(() => {}) // The failure is in the list; whoever awaits the run still gets it.
      const id = newID('run')
      active = {
        id,
        signal: controller.signal,
        finished,
        controller,
        handle: undefined,
        hasContent: false,
        idleTimer: undefined,
        settle,
        reject,
      }
      holder.dispatch({ type: 'run:start', runID: id })
      return active
    },
    follow(run, source) {
      const own = run as ActiveRun
      alive(own)
      readWithRetry(own, source).catch((error: unknown) => end(own, 'failed', toChatKitError(error)))
    },
    fail: (run, error) => end(run as ActiveRun, 'failed', toChatKitError(error)),
    stop,
    bridge,
    abandon() {
      const run = active
      if (!run) return
      const message = answer(answerID())
      release(run)
      holder.dispatch({ type: 'run:abandon', goesOn: goesOn(run) })
      run.settle(message)
    },
  }
}
