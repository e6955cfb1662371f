import { describe, expect, test } from 'vitest'
import { merge } from './merge.ts'

describe('merge', () => {
  test('yields what each branch yields, each branch in its own order', async () => {
    const seen = await collect(merge([counting('a', 3), counting('b', 2)], () => 8))
    expect(seen.filter((item) => item.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
    expect(seen.filter((item) => item.startsWith('b'))).toEqual(['b1', 'b2'])
  })

  test('a branch that waits holds nobody up', async () => {
    const gate = Promise.withResolvers<void>()
    const merged = merge([waiting('slow', gate.promise), counting('fast', 2)], () => 8)
    expect([(await merged.next()).value, (await merged.next()).value]).toEqual(['fast1', 'fast2'])
    gate.resolve()
    expect(await collect(merged)).toEqual(['slow'])
  })

  test('a branch goes on only after its event was taken and the next one is asked for', async () => {
    const log: string[] = []
    const merged = merge([noting('a', log), noting('b', log)], () => 8)
    const first = (await merged.next()).value
    expect(log).toEqual(['a begins', 'b begins'])
    await settledMicrotasks()
    expect(log).not.toContain(`${String(first)} goes on`)
    await collect(merged)
    expect(log.toSorted()).toEqual(['a begins', 'a goes on', 'b begins', 'b goes on'])
  })

  test('at most `limit` branches run at once; the others begin in order, as places become free', async () => {
    let running = 0
    const most: number[] = []
    async function* branch(name: string) {
      most.push(++running)
      yield name
      running -= 1
    }
    const seen = await collect(merge(['a', 'b', 'c', 'd', 'e'].map(branch), () => 2))
    expect(Math.max(...most)).toBe(2)
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('return() ends every branch that has begun, and begins no other', async () => {
    const ended: string[] = []
    async function* branch(name: string) {
      try {
        yield `${name}1`
        yield `${name}2`
      } finally {
        ended.push(name)
      }
    }
    const merged = merge([branch('a'), branch('b'), branch('c')], () => 2)
    await merged.next()
    await merged.return()
    expect(ended.toSorted()).toEqual(['a', 'b'])
    expect((await merged.next()).done).toBe(true)
  })

  test('return() waits for what a branch is in the middle of', async () => {
    const gate = Promise.withResolvers<void>()
    let isOver = false
    async function* busy() {
      await gate.promise
      isOver = true
      yield 'never seen'
    }
    const merged = merge([busy(), counting('a', 1)], () => 8)
    await merged.next()
    const returned = merged.return()
    gate.resolve()
    await returned
    expect(isOver).toBe(true)
  })

  test('a throw of one branch reaches the reader, and ends the others', async () => {
    let isEnded = false
    async function* endless() {
      try {
        for (;;) yield 'on'
      } finally {
        isEnded = true
      }
    }
    async function* broken(): AsyncGenerator<string, void> {
      yield 'fine'
      throw new Error('broken branch')
    }
    await expect(collect(merge([endless(), broken()], () => 8))).rejects.toThrow('broken branch')
    expect(isEnded).toBe(true)
  })

  test('no branches: nothing', async () => {
    expect(await collect(merge([], () => 8))).toEqual([])
  })
})

async function* counting(name: string, count: number): AsyncGenerator<string, void> {
  for (let n = 1; n <= count; n++) yield `${name}${n}`
}

async function* waiting(name: string, until: Promise<void>): AsyncGenerator<string, void> {
  await until
  yield name
}

async function* noting(name: string, log: string[]): AsyncGenerator<string, void> {
  log.push(`${name} begins`)
  yield name
  log.push(`${name} goes on`)
}

async function collect(merged: AsyncIterable<string>): Promise<string[]> {
  const seen: string[] = []
  for await (const item of merged) seen.push(item)
  return seen
}

/** Everything that could go on by itself has done so. */
function settledMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
