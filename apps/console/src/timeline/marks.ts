/** What concerns all lanes at one moment. */
export type Mark = {
  kind: 'crash' | 'take_over' | 'hand_back' | 'stop' | 'compaction' | 'fallback'
  at: number
  /** Place of its event; of a crash, of the last one before it. */
  index: number
  instance: string | null
}
