import { useEffect, useState } from 'react'

/** What each loader has brought, or the attempt that is under way. */
const loads = new WeakMap<object, { value?: unknown; attempt: Promise<unknown> }>()

/** Something that is downloaded at first use; `undefined` until it is there, and while it cannot be had. */
export function useLoaded<T>(load: (() => Promise<T>) | undefined): T | undefined {
  const [, setVersion] = useState(0)
  const value = load && (loads.get(load)?.value as T | undefined)
  const isMissing = value === undefined
  useEffect(() => {
    let isCurrent = isMissing
    // When it fails the plain form stays: an answer is readable without colours and formulas.
    if (load && isMissing)
      loadOnce(load).then(
        () => isCurrent && setVersion((version) => version + 1),
        () => undefined,
      )
    return () => {
      isCurrent = false
    }
  }, [load, isMissing])
  return value
}

/** One download for everybody who waits. One that failed is tried again later; Chromium then fails modules at once. */
function loadOnce(load: () => Promise<unknown>): Promise<unknown> {
  const known = loads.get(load)
  if (known) return known.attempt
  const attempt: Promise<unknown> = load().then(
    (value) => loads.set(load, { value, attempt }),
    (error: unknown) => {
      loads.delete(load)
      throw error
    },
  )
  loads.set(load, { attempt })
  return attempt
}
