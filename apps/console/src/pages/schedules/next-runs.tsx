import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { scheduleWords } from './words.ts'

/** On the clocks of the schedule's time zone; the reader's own time is in the tooltip. */
export function NextRuns({ times, timezone }: { times: readonly string[]; timezone: string }) {
  const words = useWords(scheduleWords)
  const format = useFormat()
  return (
    <p className="text-13 text-muted">
      {words.nextRuns}
      {times.map((at) => (
        <time key={at} dateTime={at} title={format.absolute(at)} className="ml-3 inline-block text-text">
          {format.inZone(at, timezone)}
        </time>
      ))}
    </p>
  )
}
