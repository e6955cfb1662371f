import type { Format } from '../../texts/format.ts'
import type { Bar } from '../../timeline/bars.ts'
import { since } from './times.ts'
import type { RunWords } from './words.ts'

/** What stands on a bar, or beside it. */
export function barLabel(bar: Bar, { words, format, decider }: Words): string {
  switch (bar.kind) {
    case 'owner':
      return words.owner(bar.instance ?? words.somebody, bar.cause === 'accepted' ? null : bar.epoch)
    case 'nobody':
      return words.nobody(format.duration(bar.to - bar.from))
    case 'model':
      return ''
    case 'tool':
      return bar.summary || bar.display_name
    case 'person':
      return words.personOutcomes[bar.outcome ?? 'open'](format.duration(bar.to - bar.from), decider)
    case 'tick':
      return ''
    default:
      bar satisfies never
      return ''
  }
}

/** Everything about a bar, for who points at it, comes to it with keys, or has it read aloud. */
export function barTitle(bar: Bar, events: readonly { event_seq: number }[], telling: Words): string {
  const { words, format } = telling
  const numbers = [events[bar.first]?.event_seq ?? 0, events[bar.last]?.event_seq ?? 0] as const
  const place = words.barPlace(since(bar.from), format.duration(bar.to - bar.from), numbers)
  return [...nameOf(bar, telling), place].join(' · ')
}

/** `decider`: who decided, where that is known. */
type Words = { words: RunWords; format: Format; decider?: string | undefined }

function nameOf(bar: Bar, telling: Words): string[] {
  const { words, format } = telling
  switch (bar.kind) {
    case 'model': {
      const name = bar.isCompaction ? words.compaction : words.modelBar(bar.call, bar.model ?? '')
      const { usage } = bar
      const cost = usage ? words.tokens(format.number(usage.input_tokens), format.number(usage.output_tokens)) : ''
      return [name, bar.isCut ? words.cut : '', cost].filter(Boolean)
    }
    case 'tool': {
      const outcome = bar.outcome === null ? words.underWay : words.toolOutcomes[bar.outcome]
      return [bar.display_name, bar.summary, bar.attempt > 1 ? words.attempt(bar.attempt) : '', outcome].filter(Boolean)
    }
    case 'person': {
      const about = bar.about === 'consent' ? words.consent : words.question
      return [bar.display_name ? `${about}: ${bar.display_name}` : about, barLabel(bar, telling)]
    }
    case 'tick':
      return [words.ticks[bar.what]]
    default:
      return [barLabel(bar, telling)]
  }
}
