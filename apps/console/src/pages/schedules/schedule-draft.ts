import type { CreateScheduledTask, ScheduledTask } from '@parley/protocol/rest'
import { cronOf, type Timing, timingOf, USUAL } from './timing.ts'

/** A schedule as it stands in its form. */
export type Draft = {
  title: string
  prompt: string
  mode: 'plain' | 'cron'
  timing: Timing
  cron: string
  timezone: string
  model: string
  /** What a `datetime-local` box holds: the reader's own time. */
  ends: string
  skip_confirmations: boolean
}

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export function emptyDraft(given: { title?: string; prompt?: string; cron?: string } = {}): Draft {
  return {
    ...{ title: given.title ?? '', prompt: given.prompt ?? '', ...whenOf(given.cron ?? cronOf(USUAL)) },
    ...{ timezone: ownZone(), model: '', ends: '', skip_confirmations: false },
  }
}

export function draftOf(task: ScheduledTask): Draft {
  const { title, prompt, timezone, skip_confirmations } = task
  return {
    ...{ title, prompt, timezone, skip_confirmations, ...whenOf(task.cron) },
    model: task.model ?? '',
    ends: task.expires_at ? localTime(new Date(task.expires_at)) : '',
  }
}

/** The expression that the form means now. */
export const cronIn = ({ mode, timing, cron }: Draft): string => (mode === 'plain' ? cronOf(timing) : cron.trim())

/** What the server is told. Consent is always said: it holds for the prompt that stands here. */
export function taskIn(draft: Draft): CreateScheduledTask & { timezone: string } {
  const { title, prompt, timezone, model, ends, skip_confirmations } = draft
  return {
    ...{ title: title.trim(), prompt, cron: cronIn(draft), timezone: timezone.trim(), skip_confirmations },
    model: model || null,
    expires_at: ends ? new Date(ends).toISOString() : null,
  }
}

function whenOf(cron: string): Pick<Draft, 'mode' | 'timing' | 'cron'> {
  const timing = timingOf(cron)
  return { mode: timing ? 'plain' : 'cron', timing: timing ?? USUAL, cron }
}

function localTime(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
