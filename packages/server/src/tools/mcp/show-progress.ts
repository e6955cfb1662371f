import type { Progress } from '@modelcontextprotocol/client'
import type { TellClients } from '../define-tool.ts'

const APART_MS = 250
const MAX_DETAIL = 500

/** Tells the session how far a call is, a few times a second at most however often the server reports. */
export function showProgress(title: string, notify: TellClients, now: () => number): (progress: Progress) => void {
  let next = Number.NEGATIVE_INFINITY
  let isDone = false
  return ({ progress, total, message }) => {
    const isLast = total !== undefined && progress >= total && !isDone
    if (now() < next && !isLast) return
    isDone ||= isLast
    next = now() + APART_MS
    const count = total === undefined ? String(progress) : `${progress} / ${total}`
    const detail = (message ? `${count} · ${message}` : count).slice(0, MAX_DETAIL)
    notify('system:notification', { notification_type: 'tool:progress', title, detail, status: 'info' })
  }
}
