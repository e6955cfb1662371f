import { Dialog } from '../ui/dialog.tsx'
import { useWords } from '../texts/language.ts'
import type { Command } from './commands.ts'
import { shellWords } from './words.ts'

/** All keys, from the commands that have them. */
export function ShortcutSheet({ commands, onClose }: { commands: readonly Command[]; onClose: () => void }) {
  const words = useWords(shellWords)
  return (
    <Dialog title={words.shortcuts} onClose={onClose}>
      <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-2">
        {commands
          .filter(({ shortcut }) => shortcut)
          .map(({ id, label, shortcut }) => (
            <div key={id} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-text">{label}</dt>
              <dd className="text-muted">{shortcut}</dd>
            </div>
          ))}
      </dl>
    </Dialog>
  )
}
