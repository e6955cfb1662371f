import { ChevronFirst, ChevronLast, Pause, Play, StepBack, StepForward } from '../../ui/icons.tsx'
import { useWords } from '../../texts/language.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import type { Playhead } from './use-playhead.ts'
import { runWords } from './words.ts'

type TransportProps = {
  playhead: Playhead
  total: number
  isZoomed: boolean
  onResetZoom: () => void
}

const ICON = { size: 18, strokeWidth: 1.75 } as const

/** Step by step through what was committed. It only reads. */
export function Transport({ playhead, total, isZoomed, onResetZoom }: TransportProps) {
  const words = useWords(runWords)
  const { count, move, isPlaying, play } = playhead
  return (
    <div className="flex flex-none items-center gap-1 border-b border-line px-4 py-1 max-md:px-2">
      <IconButton label={words.first} disabled={count <= 1} onClick={() => move(1)}>
        <ChevronFirst {...ICON} />
      </IconButton>
      <IconButton label={words.back} shortcut="←" disabled={count <= 1} onClick={() => move(count - 1)}>
        <StepBack {...ICON} />
      </IconButton>
      <IconButton
        label={isPlaying ? words.pause : words.play}
        shortcut="Space"
        onClick={play}
        className="border border-line"
      >
        {isPlaying ? <Pause {...ICON} /> : <Play {...ICON} />}
      </IconButton>
      <IconButton label={words.forward} shortcut="→" disabled={count >= total} onClick={() => move(count + 1)}>
        <StepForward {...ICON} />
      </IconButton>
      <IconButton label={words.last} disabled={count >= total} onClick={() => move(total)}>
        <ChevronLast {...ICON} />
      </IconButton>
      <p className="ml-2 grow text-13 font-medium" aria-live={isPlaying ? 'off' : 'polite'}>
        {words.eventOf(count, total)}
      </p>
      {isZoomed ? (
        <Button kind="quiet" onClick={onResetZoom}>
          {words.resetZoom}
        </Button>
      ) : null}
      <p className="text-12 text-faint max-lg:hidden">{words.keys}</p>
    </div>
  )
}
