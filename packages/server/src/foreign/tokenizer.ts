import { LimitedProcess } from './limited-process.ts'

/** In a process of its own: the dictionary is large, the work is long, and both are gone a minute after the last text. */
const tokenizer = new LimitedProcess({ job: 'tokens', timeLimitMs: 10_000, memoryMb: 512 })

/** A job is at most so long; others have their turn between two. */
const CHARACTERS_PER_JOB = 256 * 1024

/** How many tokens each text is. Rejects when the tokenizer cannot be had. */
export async function tokensIn(texts: readonly string[]): Promise<number[]> {
  const counts: number[] = []
  let batch: string[] = []
  let characters = 0
  const flush = async () => {
    if (batch.length > 0) counts.push(...(await tokenizer.run<number[]>(batch)))
    batch = []
    characters = 0
  }
  for (const text of texts) {
    if (characters + text.length > CHARACTERS_PER_JOB) await flush()
    batch.push(text)
    characters += text.length
  }
  await flush()
  return counts
}
