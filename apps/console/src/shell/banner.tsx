import { useEffect, useState } from 'react'
import { client } from '../data/client.ts'
import { formatIn } from '../texts/format.ts'
import { useLanguage, useWords } from '../texts/language.ts'
import { shellWords } from './words.ts'

const SAY_AFTER_MS = 1_500
const LONG_MS = 15_000

/** Says that the line to the server is cut, once it has been for a moment. Pushes nothing. */
export function ConnectionBanner() {
  const words = useWords(shellWords)
  const language = useLanguage()
  const since = useLostSince()
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (since === null) return
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [since])
  if (since === null || now - since < SAY_AFTER_MS) return null
  const isLong = now - since >= LONG_MS
  return (
    <div
      role="status"
      className="absolute top-14 right-0 left-0 z-40 mx-auto flex min-h-7 w-fit items-center gap-2 rounded-full border border-line bg-raised px-4 text-12 text-muted shadow-menu"
    >
      {isLong ? words.offlineSince(formatIn(language).clock(since)) : words.reconnecting}
      {isLong ? (
        <button type="button" className="font-medium text-accent" onClick={() => client.socket().connect()}>
          {words.tryNow}
        </button>
      ) : null}
    </div>
  )
}

/** Since when there is no socket, while there should be one. */
function useLostSince(): number | null {
  const [since, setSince] = useState<number | null>(null)
  useEffect(() => {
    const socket = client.socket()
    const lost = () => setSince((before) => before ?? Date.now())
    const found = () => setSince(null)
    const retry = () => {
      if (!document.hidden && !socket.connected) socket.connect()
    }
    socket.on('disconnect', lost)
    socket.on('connect_error', lost)
    socket.on('connect', found)
    addEventListener('online', retry)
    document.addEventListener('visibilitychange', retry)
    return () => {
      socket.off('disconnect', lost)
      socket.off('connect_error', lost)
      socket.off('connect', found)
      removeEventListener('online', retry)
      document.removeEventListener('visibilitychange', retry)
    }
  }, [])
  return since
}
