import type { CrashPossibility } from '@parley/protocol/rest'
import type { ParleyChatElement } from '../element/parley-chat-element.ts'
import { crashPossibility } from './crash-server.ts'
import type { LandingTexts } from './landing-texts.ts'
import { createServerState } from './server-state.ts'
import { type CrashStep, watchCrash } from './watch-crash.ts'

type Panel = { chat: ParleyChatElement; first: CrashPossibility; texts: LandingTexts }

/** How often the server is asked whether there is something to crash. */
const LOOK_MS = 700

/** The button, why it cannot be pressed, and what came of it when it was. */
export function showCrashPanel(panel: HTMLElement, { chat, first, texts }: Panel): void {
  const start = button('start', texts.start)
  const kill = button('kill', texts.kill)
  const hint = paragraph('hint')
  hint.setAttribute('role', 'status')
  const steps = document.createElement('ol')
  steps.setAttribute('aria-live', 'polite')
  panel.append(heading(texts.title), paragraph('about', texts.about), row(start, kill), hint, steps)
  panel.hidden = false

  let seen: CrashPossibility | undefined
  let isCrashing = false
  const showState = createServerState(texts.gone)
  const show = (possibility: CrashPossibility | undefined) => {
    seen = possibility
    if (isCrashing) return
    start.hidden = possibility?.code !== 'not_running'
    kill.disabled = !possibility?.is_possible
    hint.textContent = possibility?.code === 'not_running' ? texts.idle : (possibility?.reason ?? '')
  }

  start.addEventListener('click', () => {
    start.disabled = true
    // A failure shows in the chat.
    void chat.send(texts.prompt).catch(() => undefined)
    setTimeout(() => (start.disabled = false), LOOK_MS * 3)
  })

  kill.addEventListener('click', () => {
    const session_id = seen?.runs[0]?.session_id
    if (isCrashing || !session_id || !seen) return
    isCrashing = true
    kill.disabled = true
    start.hidden = true
    hint.textContent = texts.waiting
    steps.replaceChildren()
    void tell(watchCrash(session_id, seen.pid))
  })

  let account = 0
  async function tell(told: AsyncIterable<CrashStep>): Promise<void> {
    const own = (account += 1)
    try {
      for await (const step of told) {
        if (own !== account) return
        const item = document.createElement('li')
        item.dataset['step'] = step.step === 'done' && step.lost > 0 ? 'lost' : step.step
        item.textContent = texts.steps(step)
        showState(step.step !== 'killed')
        steps.append(item)
        // While the answer goes on it may be crashed once more; that begins a new account.
        if (step.step === 'on') isCrashing = false
        if (step.step === 'done') kill.disabled = true
      }
    } catch (error) {
      isCrashing = false
      hint.textContent = (error as Error).message
    }
  }

  show(first)
  void look((answer) => {
    if (!isCrashing) showState(answer !== undefined)
    show(typeof answer === 'object' ? answer : undefined)
  })
}

/** For as long as the page is looked at. */
async function look(show: (answer: Awaited<ReturnType<typeof crashPossibility>>) => void): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    if (document.hidden) await new Promise((resolve) => document.addEventListener('visibilitychange', resolve))
    show(await crashPossibility())
  }
}

function button(name: string, text: string): HTMLButtonElement {
  const element = document.createElement('button')
  element.type = 'button'
  element.className = name
  element.textContent = text
  return element
}

function heading(text: string): HTMLElement {
  const element = document.createElement('h2')
  element.textContent = text
  return element
}

function paragraph(name: string, text = ''): HTMLElement {
  const element = document.createElement('p')
  element.className = name
  element.textContent = text
  return element
}

function row(...children: HTMLElement[]): HTMLElement {
  const element = document.createElement('div')
  element.className = 'buttons'
  element.append(...children)
  return element
}
