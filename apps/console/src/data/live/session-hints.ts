import { useEffect, useRef } from 'react'
import { client } from '../client.ts'

const AT_MOST_EVERY_MS = 300
const POLL_MS = 3_000

/** Calls back soon after something happened in a session, and now and then in case nobody said so. */
export function useSessionHints(id: string, isLive: boolean, look: () => void): void {
  const current = useRef(look)
  useEffect(() => {
    current.current = look
  })
  useEffect(() => {
    if (!isLive) return
    const session = client.sessions.connect(id, { limit: 1 })
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        current.current()
      }, AT_MOST_EVERY_MS)
    }
    const stop = session.subscribe(soon)
    const poll = setInterval(soon, POLL_MS)
    return () => {
      stop()
      clearTimeout(timer)
      clearInterval(poll)
      session.dispose()
    }
  }, [id, isLive])
}
