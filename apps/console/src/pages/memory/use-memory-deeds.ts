import type { Memory } from '@parley/protocol/rest'
import { bringBackMemories, deleteMemories, hideMemories, MAX_BATCH, switchMemories } from '../../data/memories.ts'
import { showToast, showUndo } from '../../shell/toasts.tsx'
import { useWords } from '../../texts/language.ts'
import { memoryWords } from './words.ts'

/** What can be done to memories, one or many; each can be taken back for a while. */
export function useMemoryDeeds() {
  const words = useWords(memoryWords)
  const tell = (error: unknown) => showToast((error as Error).message)
  return {
    /** Those that are so already are left alone, also when it is taken back. */
    switch(memories: readonly Memory[], disabled: boolean) {
      const ids = memories.filter((memory) => memory.disabled !== disabled).map(({ id }) => id)
      if (ids.length === 0 || ids.length > MAX_BATCH) return
      switchMemories(ids, disabled).catch(tell)
      showToast(disabled ? words.disabled(ids.length) : words.enabled(ids.length), {
        action: { label: words.undo, run: () => void switchMemories(ids, !disabled).catch(tell) },
      })
    },
    remove(memories: readonly Memory[]) {
      const ids = memories.map(({ id }) => id)
      if (ids.length === 0 || ids.length > MAX_BATCH) return
      hideMemories(ids)
      showUndo(words.deleted(ids.length), {
        label: words.undo,
        undo: () => void bringBackMemories(ids),
        commit: () => void deleteMemories(ids).catch(tell),
      })
    },
  }
}
