import { useEffect, useState } from 'react'

/** The time, looked at as often as what is shown of it changes. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** Under this, seconds count. */
export const URGENT_MS = 120_000
