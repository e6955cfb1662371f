import type { ChatOp } from '../model/chat-op.ts'
import { failureOf, type TokenGate } from './token-gate.ts'

export type RunReader = {
  gate: TokenGate
  ops: () => AsyncIterable<ChatOp>
  /** False when the run wants no more. */
  take: (op: ChatOp) => boolean
  /** Nothing was said yet, and somebody still wants to hear it. */
  mayRepeat: () => boolean
}

/** Reads a run. The whole request is made once more, with a new token, if it was refused for the old one. */
export async function readRun({ gate, ops, take, mayRepeat }: RunReader): Promise<void> {
  const read = async () => {
    for await (const op of ops()) if (!take(op)) return
  }
  const used = gate.token()
  try {
    return await read()
  } catch (error) {
    if (!mayRepeat() || !gate.canRefresh(failureOf(error))) throw error
  }
  await gate.refresh(used)
  if (mayRepeat()) await read()
}
