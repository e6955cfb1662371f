import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { dayName, lastDays, PRESETS, presetOf, type Range, readRange } from './range.ts'
import { GROUPS, useAsked } from './use-usage.ts'
import { type GroupBy, usageWords } from './words.ts'

/** Which days, and by what they are told apart; both in the address. */
export function Toolbar({ isOwner }: { isOwner: boolean }) {
  const words = useWords(usageWords)
  const format = useFormat()
  const { range, by, change } = useAsked()
  const now = new Date()
  const preset = presetOf(range, now)
  const pick = (part: { from?: string; to?: string }) => {
    const { from = dayName(range.from), to = dayName(range.to) } = part
    // A day beyond the other end takes that end along.
    if (from && to)
      change({ range: from <= to ? readRange(from, to, now) : readRange(part.from ?? to, part.from ?? to, now) })
  }
  const shown = GROUPS.filter((group) => isOwner || group !== 'user')
  return (
    <div className="flex flex-none flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-5 py-2 max-md:px-4">
      <div role="group" aria-label={words.range} className="flex items-center gap-1">
        {PRESETS.map((days) => (
          <Choice
            key={days}
            isChosen={preset === days}
            onChoose={() => change({ range: days === 7 ? null : lastDays(days, now) })}
          >
            {words.days(format.number(days))}
          </Choice>
        ))}
      </div>
      <div role="group" aria-label={words.own} className="flex items-center gap-2 text-13 text-muted">
        <Day label={words.from} value={range.from} range={range} onPick={(from) => pick({ from })} />
        <span aria-hidden="true">–</span>
        <Day label={words.to} value={range.to} range={range} onPick={(to) => pick({ to })} />
      </div>
      <label className="flex items-center gap-2 text-13 text-muted">
        {words.groupBy}
        <select
          value={by ?? ''}
          onChange={({ target }) => change({ by: (target.value || null) as GroupBy | null })}
          className="min-h-8 rounded-control border border-control bg-surface px-2 text-13 text-text hover:bg-hover max-md:min-h-11"
        >
          <option value="">{words.noGroup}</option>
          {shown.map((group) => (
            <option key={group} value={group}>
              {words.by[group]}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

type ChoiceProps = { isChosen: boolean; onChoose: () => void; children: string }

function Choice({ isChosen, onChoose, children }: ChoiceProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className="min-h-7 rounded-full px-3 text-13 whitespace-nowrap text-muted hover:bg-hover aria-pressed:bg-selected aria-pressed:font-medium aria-pressed:text-text max-md:min-h-11"
    >
      {children}
    </button>
  )
}

type DayProps = { label: string; value: Date; range: Range; onPick: (day: string) => void }

function Day({ label, value, onPick }: DayProps) {
  return (
    <input
      type="date"
      aria-label={label}
      title={label}
      value={dayName(value)}
      max={dayName(new Date())}
      onChange={({ target }) => target.value && onPick(target.value)}
      className="min-h-8 rounded-control border border-line bg-surface px-2 text-13 text-text max-md:min-h-11"
    />
  )
}
