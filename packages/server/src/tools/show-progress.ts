import type { TellClients } from './define-tool.ts'

/** How far something is: a count, words, or both. */
export type Reported = {
  progress?: number | undefined
  total?: number | undefined
  message?: string | undefined
}

const APART_MS = 250
const MAX_DETAIL = 500

/** Tells the session how far a call is, a few times a second at most however often it reports. */
export function showProgress(title: string, notify: TellClients, now: () => number): (reported: Reported) => void {
  let next = Number.NEGATIVE_INFINITY
  let isDone = false
  return ({ progress, total, message }) => {
    const isLast = total !== undefined && progress !== undefined && progress >= total && !isDone
    if (now() < next && !isLast) return
    isDone ||= isLast
    next = now() + APART_MS
    const count = progress === undefined || total === undefined ? progress : `${progress} / ${total}`
    const detail = [count, message]
      .filter((part) => part !== undefined && part !== '')
      .join(' · ')
      .slice(0, MAX_DETAIL)
    notify('system:notification', { notification_type: 'tool:progress', title, detail, status: 'info' })
  }
}
