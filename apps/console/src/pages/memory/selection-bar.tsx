import type { Memory } from '@parley/protocol/rest'
import { MAX_BATCH } from '../../data/memories.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { useMemoryDeeds } from './use-memory-deeds.ts'
import { memoryWords } from './words.ts'

/** What can be done to all that are chosen. */
export function SelectionBar({ memories, onDone }: { memories: readonly Memory[]; onDone: () => void }) {
  const words = useWords(memoryWords)
  const format = useFormat()
  const deeds = useMemoryDeeds()
  const areTooMany = memories.length > MAX_BATCH
  const act = (deed: () => void) => () => {
    deed()
    onDone()
  }
  return (
    <div
      role="toolbar"
      aria-label={words.selected(format.number(memories.length))}
      className="flex flex-none items-center gap-2 border-t border-line px-5 py-2"
    >
      <span className="mr-2 text-13 font-medium">{words.selected(format.number(memories.length))}</span>
      <Button disabled={areTooMany} onClick={act(() => deeds.switch(memories, true))}>
        {words.disable}
      </Button>
      <Button disabled={areTooMany} onClick={act(() => deeds.switch(memories, false))}>
        {words.enable}
      </Button>
      <Button kind="danger" disabled={areTooMany} onClick={act(() => deeds.remove(memories))}>
        {words.delete}
      </Button>
      {areTooMany ? <span className="text-13 text-muted">{words.tooMany}</span> : null}
      <Button kind="quiet" className="ml-auto" onClick={onDone}>
        {words.unselect}
      </Button>
    </div>
  )
}
