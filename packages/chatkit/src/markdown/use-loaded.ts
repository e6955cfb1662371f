import { useEffect, useState } from 'react'

const loaded = new WeakMap<object, unknown>()

/** Something that is downloaded at first use; `undefined` until it is there, and for good when it cannot be had. */
export function useLoaded<T>(load: (() => Promise<T>) | undefined): T | undefined {
  const [, setVersion] = useState(0)
  useEffect(() => {
    if (!load || loaded.has(load)) return
    let isCurrent = true
    load().then(
      (value) => {
        loaded.set(load, value)
        if (isCurrent) setVersion((version) => version + 1)
      },
      () => undefined, // The plain form stays: an answer is readable without colours and formulas.
    )
    return () => {
      isCurrent = false
    }
  }, [load])
  return load && (loaded.get(load) as T | undefined)
}
