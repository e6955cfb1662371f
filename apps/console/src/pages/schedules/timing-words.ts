import cronstrue from 'cronstrue'
import 'cronstrue/locales/zh_CN'
import type { Language } from '../../texts/language.ts'
import { type Timing, timingOf } from './timing.ts'
import { scheduleWords } from './words.ts'

/** When it is due, in words: those of the clocks in its time zone, never of another. */
export function timingWords(cron: string, language: Language): string {
  const timing = timingOf(cron)
  return timing ? plainWords(timing, language) : cronWords(cron, language)
}

function plainWords({ every, time, weekday, date, hours }: Timing, language: Language): string {
  const { timing: words, weekdays } = scheduleWords[language]
  if (every === 'week') return words.week(weekdays[weekday - 1] ?? '', time)
  if (every === 'month') return date === 'L' ? words.lastDay(time) : words.month(date, time)
  return every === 'hours' ? words.hours(hours) : words[every](time)
}

/** What cannot be read is shown as it is; the server says why it refuses it. */
function cronWords(cron: string, language: Language): string {
  try {
    const text = cronstrue.toString(cron, { use24HourTimeFormat: true, locale: language === 'zh' ? 'zh_CN' : 'en' })
    return language === 'zh' ? text.replace(/^在 ?/, '').replaceAll(', ', '，') : text
  } catch {
    return cron
  }
}
