/** Drives whoever draws this page, and measures what a user would notice. */
import './page.css'
import { mixedMarkdown, mixedMessages } from '../corpus.ts'
import type { BenchMessage, Contender, Mounted } from './contender.ts'

declare global {
  interface Window {
    bench: Bench
  }
}

export type Bench = ReturnType<typeof createBench>
export type Frames = { intervals: number[]; longTasks: number[] }

const QUESTION = 'How high is the river?'
/** Nothing else in the corpus says this: seen in the page, an answer is drawn to its end. */
const LAST_WORDS = 'These were all the gauges.'
const SETTLE_MS = 120_000

export function startHarness(contender: Contender): void {
  window.bench = createBench(contender)
}

function createBench(contender: Contender) {
  const place = document.querySelector('#place')!
  let mounted: Mounted | undefined
  let text = ''
  let at = 0
  const sent: string[] = []
  const keys: number[] = []

  const mount = async (messages: readonly BenchMessage[] = []) => {
    mounted = await contender.mount(place, messages, (text) => sent.push(text))
  }

  return {
    sent,
    mount: () => mount(),

    /** From the call to the frame that shows the last of so many messages. */
    async firstPaint(count: number, length: number) {
      const messages = conversation(count, length)
      await painted()
      const started = performance.now()
      await mount(messages)
      await until(() => endOf(place).includes(LAST_WORDS))
      await painted()
      return { ms: performance.now() - started, elements: document.querySelectorAll('*').length }
    },

    /** Begins an answer of so many characters; `streamNext` then writes it, part by part. */
    ask(length: number) {
      text = `${mixedMarkdown(length - LAST_WORDS.length - 2)}\n\n${LAST_WORDS}`
      at = 0
      mounted!.ask(QUESTION)
    },

    /** The next characters of the answer, so many in each drawn frame. */
    streamNext(characters: number, perFrame: number): Promise<Frames> {
      const end = Math.min(at + characters, text.length)
      return measureFrames(() => {
        if (at >= end) return false
        const next = Math.min(at + perFrame, end)
        mounted!.append(text.slice(at, next))
        at = next
        return true
      })
    },

    /** Ends the answer, and waits until it is drawn to its last word. */
    async finish() {
      await mounted!.finish()
      await until(() => endOf(place).includes(LAST_WORDS))
      await painted()
    },

    /** Times every key from when it was pressed to the frame after it was handled. */
    watchKeys() {
      addEventListener(
        'keydown',
        ({ timeStamp }) => requestAnimationFrame(() => afterPaint(() => keys.push(performance.now() - timeStamp))),
        { capture: true },
      )
    },
    keys: () => keys,

    /** A chat that comes and goes, each time with some short answers. */
    async comeAndGo(times: number, answers: number) {
      const answer = mixedMessages(1, 300)[0]!
      for (let i = 0; i < times; i++) {
        await mount()
        for (let j = 0; j < answers; j++) {
          mounted!.ask(QUESTION)
          for (let from = 0; from < answer.length; from += 100) {
            mounted!.append(answer.slice(from, from + 100))
            await task()
          }
          await mounted!.finish()
          await task()
        }
        mounted!.unmount()
        mounted = undefined
        await frame()
      }
    },

    /** The marked-up words of a one-line answer, as `tag:words`. */
    async emphasisOf(markdown: string): Promise<string[]> {
      await mount()
      mounted!.ask(QUESTION)
      mounted!.append(`${markdown}\n\n${LAST_WORDS}`)
      await this.finish()
      const found = [...place.querySelectorAll('strong, b, del, s, [data-streamdown="strong"]')]
      const words = found.map((element) => `${isDeleted(element) ? 'del' : 'strong'}:${element.textContent}`)
      mounted!.unmount()
      return words
    },
  }
}

/** Takes a step in each drawn frame, as long as there is one to take. */
async function measureFrames(step: () => boolean): Promise<Frames> {
  const longTasks: number[] = []
  const observer = new PerformanceObserver((list) =>
    longTasks.push(...list.getEntries().map(({ duration }) => duration)),
  )
  observer.observe({ type: 'longtask' })
  const intervals: number[] = []
  let last = await frame()
  while (step()) {
    const now = await frame()
    intervals.push(now - last)
    last = now
  }
  await painted()
  observer.disconnect()
  return { intervals, longTasks }
}

function conversation(count: number, length: number): BenchMessage[] {
  const messages = mixedMessages(count, length).map((text, i) => ({ isUser: i % 2 === 0, text }))
  const last = messages.at(-1)!
  last.text = `${last.text.slice(0, length - 40)}\n\n${LAST_WORDS}`
  return messages
}

const isDeleted = (element: Element): boolean => element.localName === 'del' || element.localName === 's'

const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
const painted = (): Promise<void> => frame().then(() => new Promise(afterPaint))
const task = (): Promise<void> => new Promise((resolve) => afterPaint(resolve))

/** A message is delivered after the frame under way was drawn; timers may wait longer. */
function afterPaint(call: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.addEventListener('message', () => {
    port1.close()
    call()
  })
  port1.start()
  port2.postMessage(null)
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + SETTLE_MS
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error('The page did not show the end of the text in time.')
    await frame()
  }
}

/** The last words of the page, without reading all of it. */
function endOf(root: Element): string {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  let words = ''
  for (let node = walker.lastChild(); node && words.length < 1200; node = walker.previousNode())
    words = node.nodeValue + words
  return words
}
