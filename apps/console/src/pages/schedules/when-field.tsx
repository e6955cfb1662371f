import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { previewQuery } from '../../data/schedules.ts'
import { useLanguage, useWords } from '../../texts/language.ts'
import { Field, Select, TextInput } from '../../ui/field.tsx'
import { formWords } from './form-words.ts'
import { NextRuns } from './next-runs.tsx'
import { cronIn, type Draft } from './schedule-draft.ts'
import { cronOf, DATES, EVERY, type Every, HOURS, type Timing, timingOf, WEEKDAYS } from './timing.ts'
import { timingWords } from './timing-words.ts'
import { scheduleWords } from './words.ts'

type WhenProps = {
  draft: Draft
  change: (change: Partial<Draft>) => void
  errors: Readonly<Record<string, string>>
}

/** When it is due: by plain choices, or by the expression that they are. */
export function WhenField({ draft, change, errors }: WhenProps) {
  const words = useWords(formWords)
  const language = useLanguage()
  const { mode, timing } = draft
  const cron = cronIn(draft)
  const choose = (part: Partial<Timing>) => change({ timing: { ...timing, ...part } })
  const switchTo = (next: Draft['mode']) => {
    if (next === 'cron') return change({ mode: next, cron: cronOf(timing) })
    change({ mode: next, timing: timingOf(cron) ?? timing })
  }
  return (
    <fieldset className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <legend className="float-left text-13 font-medium">{words.when}</legend>
        <div className="flex rounded-control bg-hover p-0.5">
          {(['plain', 'cron'] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === mode}
              onClick={() => switchTo(one)}
              className="min-h-7 rounded-inner px-3 text-13 text-muted aria-pressed:bg-surface aria-pressed:font-medium aria-pressed:text-text max-md:min-h-11"
            >
              {words.modes[one]}
            </button>
          ))}
        </div>
      </div>
      {mode === 'cron' ? (
        <Field label={words.cron} hint={words.cronHint} error={errors['cron']}>
          {(control) => (
            <TextInput
              {...control}
              required
              maxLength={100}
              spellCheck={false}
              autoComplete="off"
              className="font-mono"
              value={draft.cron}
              onChange={(event) => change({ cron: event.target.value })}
            />
          )}
        </Field>
      ) : (
        <PlainChoices timing={timing} choose={choose} error={errors['cron']} />
      )}
      <Zone timezone={draft.timezone} onChange={(timezone) => change({ timezone })} error={errors['timezone']} />
      <div aria-live="polite" className="flex min-h-16 flex-col gap-1 rounded-control bg-raised px-3 py-2 text-13">
        <p>
          <span className="font-medium">{timingWords(cron, language)}</span>
          <span className="ml-3 text-muted">{draft.timezone}</span>
        </p>
        <Foreseen cron={cron} timezone={draft.timezone.trim()} />
      </div>
    </fieldset>
  )
}

/** The next times, once nothing was typed for a moment; what the server cannot read it says. */
function Foreseen({ cron, timezone }: { cron: string; timezone: string }) {
  const asked = useSettled(`${cron}\n${timezone}`, 250)
  const [ofCron = '', ofZone = ''] = asked.split('\n')
  const { data, error } = useQuery({ ...previewQuery(ofCron, ofZone), enabled: ofCron !== '' && ofZone !== '' })
  if (data) return <NextRuns times={data.next} timezone={data.timezone} />
  return error ? <p className="text-muted">{error.message}</p> : null
}

/** A value that has stayed the same for so long. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

type ChoicesProps = { timing: Timing; choose: (part: Partial<Timing>) => void; error: string | undefined }

function PlainChoices({ timing, choose, error }: ChoicesProps) {
  const words = useWords(formWords)
  const { weekdays } = useWords(scheduleWords)
  const { every } = timing
  return (
    <div className="grid grid-cols-3 gap-3 max-md:grid-cols-2">
      <Field label={words.repeat} error={error}>
        {(control) => (
          <Select {...control} value={every} onChange={(event) => choose({ every: event.target.value as Every })}>
            {EVERY.map((one) => (
              <option key={one} value={one}>
                {words.every[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {every === 'week' ? (
        <Field label={words.weekday}>
          {(control) => (
            <Select
              {...control}
              value={timing.weekday}
              onChange={(event) => choose({ weekday: Number(event.target.value) })}
            >
              {WEEKDAYS.map((day) => (
                <option key={day} value={day}>
                  {weekdays[day - 1]}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ) : null}
      {every === 'month' ? (
        <Field label={words.date}>
          {(control) => (
            <Select {...control} value={timing.date} onChange={(event) => choose({ date: event.target.value })}>
              {DATES.map((date) => (
                <option key={date} value={date}>
                  {date === 'L' ? words.lastDay : date}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ) : null}
      {every === 'hours' ? (
        <Field label={words.hours}>
          {(control) => (
            <Select
              {...control}
              value={timing.hours}
              onChange={(event) => choose({ hours: Number(event.target.value) })}
            >
              {HOURS.map((count) => (
                <option key={count} value={count}>
                  {words.hoursOption(count)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ) : (
        <Field label={words.time}>
          {(control) => (
            <TextInput
              {...control}
              type="time"
              required
              value={timing.time}
              onChange={(event) => choose({ time: event.target.value })}
            />
          )}
        </Field>
      )}
    </div>
  )
}

type ZoneProps = { timezone: string; onChange: (timezone: string) => void; error: string | undefined }

function Zone({ timezone, onChange, error }: ZoneProps) {
  const words = useWords(formWords)
  return (
    <Field label={words.timezone} error={error}>
      {(control) => (
        <>
          <TextInput
            {...control}
            required
            maxLength={100}
            list="time-zones"
            spellCheck={false}
            autoComplete="off"
            value={timezone}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id="time-zones">
            {ZONES.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

const ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]
