import { type MemoryRef, ROOT_LOOP } from '@parley/protocol'
import { SERVER_STOPPED, type StoredTurn } from '../../context/stored-turns.ts'
import type { LoadedRun } from '../restore/load-run.ts'

/** Memories that stand with the run's message. */
export type RecalledMemories = { take: (loop_id: string) => MemoryRef[] | null }

/** [W10.16] The first answer to the message shows them, also when another server begins it again; what follows it does not. */
export function recalledMemories({ turns, record, run }: LoadedRun): RecalledMemories {
  const own = [...turns, ...record.open].filter(({ turn }) => turn.run_id === run.id && turn.loop_id === ROOT_LOOP)
  const isAnswered = own.some(isAnswer)
  const parts = own.flatMap(({ said }) => said ?? [])
  let refs = isAnswered ? [] : parts.flatMap((part) => (part.type === 'text' && part.recalled?.memory) || [])
  return {
    take(loop_id) {
      if (loop_id !== ROOT_LOOP || refs.length === 0) return null
      const taken = refs
      refs = []
      return taken
    },
  }
}

/** Half of one that a lost server left is none: the model is asked again. */
function isAnswer({ turn, parts }: StoredTurn): boolean {
  const isHalf = turn.failure_reason === SERVER_STOPPED || (turn.status === 'streaming' && parts === null)
  return turn.role === 'assistant' && !isHalf
}
