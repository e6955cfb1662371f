/**
 * The longest time in milliseconds that one turn of the event loop works, as the processor counts it: on a busy machine a
 * turn also waits for its core, and that is nobody's fault here.
 */
export async function longestStep(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let isOver = false
  let before = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1_000)
    before = process.threadCpuUsage()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  try {
    await work()
  } finally {
    isOver = true
  }
  return longest
}
