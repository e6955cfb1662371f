/**
 * Shows turns as they grow. It is driven by whole turns, not by increments, and prints what it has not printed yet: so
 * a lost connection or a missed patch costs nothing but a moment.
 */
import type { ContentBlock, ToolCallProjection, TurnProjection } from '@parley/protocol'
import { oneLine, printable } from './printable.ts'
import { hasCard, resultText } from './result-text.ts'
import { sourceList } from './source-list.ts'
import { subjectOf } from './subject-of.ts'
import type { Style } from './terminal.ts'
import { TerminalMarkdown } from './terminal-markdown.ts'
import type { Words } from './words.ts'

export type PrinterOptions = {
  style: Style
  words: Words
  write: (text: string) => void
  /** Answers are drawn as Markdown, not printed as it is written. Default false. */
  drawsMarkdown?: boolean
}

type Printed = {
  seen: TurnProjection
  /** Characters shown, by block. */
  shown: number[]
  hasSources: boolean
}

export class TurnPrinter {
  readonly #style: Style
  readonly #words: Words
  readonly #drawsMarkdown: boolean
  readonly #write: (text: string) => void
  readonly #printed = new Map<string, Printed>()
  /** The block the cursor is in; a different one starts on a new line. */
  #place = ''
  /** Draws the text block the cursor is in. */
  #markdown: TerminalMarkdown | undefined
  #isLineOpen = false

  constructor({ style, words, write, drawsMarkdown = false }: PrinterOptions) {
    this.#style = style
    this.#drawsMarkdown = drawsMarkdown
    this.#words = words
    this.#write = write
  }

  /** Prints what is new. Turns of users are theirs: they typed them. */
  update(turns: readonly TurnProjection[]): void {
    for (const turn of turns) {
      const known = this.#printed.get(turn.turn_id)
      if (known?.seen === turn) continue
      const shown = known?.shown ?? []
      const hasSources = turn.status !== 'streaming' && (turn.citations?.length ?? 0) > 0
      this.#printed.set(turn.turn_id, { seen: turn, shown, hasSources })
      if (turn.role === 'user') continue
      for (const [index, block] of turn.blocks.entries()) this.#block(turn, block, { index, shown })
      if (hasSources && !known?.hasSources) this.#sources(turn)
    }
  }

  /** Takes these turns for printed. */
  skip(turns: readonly TurnProjection[]): void {
    for (const turn of turns)
      this.#printed.set(turn.turn_id, {
        seen: turn,
        shown: turn.blocks.map(({ content }) => String(content).length),
        hasSources: turn.status !== 'streaming',
      })
  }

  /** A line of our own, after whatever is open. */
  note(text: string): void {
    this.endLine()
    this.#write(`${text}\n`)
  }

  endLine(): void {
    this.#write(this.#markdown?.end() ?? '')
    this.#markdown = undefined
    if (this.#isLineOpen) this.#write('\n')
    this.#isLineOpen = false
    this.#place = ''
  }

  #block(turn: TurnProjection, block: ContentBlock, { index, shown }: { index: number; shown: number[] }): void {
    const { dim, green, red, cyan } = this.#style
    const isShown = shown[index] !== undefined
    switch (block.type) {
      case 'text':
      case 'thinking':
        return this.#text(turn, block, { index, shown })
      case 'tool_use': {
        if (isShown) return
        shown[index] = 1
        const call = turn.tool_calls.find(({ id }) => id === block.tool_call_id)
        return this.#line(turn, `${cyan('●')} ${this.#describeCall(call, block)}`)
      }
      case 'tool_result': {
        if (isShown) return
        shown[index] = 1
        const call = turn.tool_calls.find(({ id }) => id === block.tool_call_id)
        const mark = call?.status === 'done' ? green('✓') : red('✗')
        const time = call?.duration_ms == null ? '' : dim(` ${call.duration_ms} ms`)
        return this.#line(turn, `${mark} ${oneLine(this.#resultText(block.content))}${time}`)
      }
      case 'system_notification':
      case 'plan_status': {
        if (isShown) return
        shown[index] = 1
        const text = typeof block.content === 'string' ? block.content : (block.content.plan ?? block.content.status)
        return this.#line(turn, dim(printable(text)))
      }
      case 'tool_ui':
      case 'tool_bridge':
      case 'mode_change':
      case 'planning_enter':
      case 'planning_exit':
      case 'ask_user_answer':
        return
      default:
        // A newer server's block: nothing to show for it here.
        block satisfies never
    }
  }

  #text(
    turn: TurnProjection,
    block: ContentBlock & { content: unknown },
    at: { index: number; shown: number[] },
  ): void {
    const whole = String(block.content)
    const from = at.shown[at.index] ?? 0
    const end = isChild(turn) && isGrowing(turn, at.index) ? whole.lastIndexOf('\n') + 1 : whole.length
    if (end <= from) return
    at.shown[at.index] = end
    const text = printable(whole.slice(from, end))
    const isThinking = block.type === 'thinking'

    if (isChild(turn)) {
      const { dim } = this.#style
      for (const line of text.replace(/\n$/, '').split('\n')) this.#line(turn, isThinking ? dim(line) : line)
      return
    }
    const place = `${turn.turn_id}:${at.index}`
    if (this.#place !== place) {
      this.endLine()
      if (isThinking) this.#write(this.#style.dim(`${this.#words.thinking}: `))
      else if (this.#drawsMarkdown) this.#markdown = new TerminalMarkdown(this.#style)
      this.#place = place
    }
    if (isThinking) this.#write(this.#style.dim(text))
    else this.#write(this.#markdown?.write(text) ?? text)
    this.#isLineOpen = !text.endsWith('\n')
  }

  /** Below the answer: where it has it from. */
  #sources(turn: TurnProjection): void {
    this.#line(turn, this.#style.dim(this.#words.knowledge.sources(sourceList(turn.citations ?? []))))
  }

  #line(turn: TurnProjection, text: string): void {
    this.endLine()
    this.#write(`${isChild(turn) ? this.#style.dim('│ ') : ''}${text}\n`)
  }

  #resultText(result: unknown): string {
    return hasCard(result) ? this.#words.card : resultText(result)
  }

  #describeCall(call: ToolCallProjection | undefined, block: ContentBlock): string {
    const name = call?.display_name ?? block.display_name ?? call?.tool_name ?? block.tool_name ?? '?'
    const about = call ? subjectOf(call) : ''
    return about ? `${printable(name)}  ${oneLine(about)}` : printable(name)
  }
}

/** Sub-agents speak at the same time as others: their lines appear when they are whole. */
function isChild({ parent_fork_tool_call_id }: TurnProjection): boolean {
  return parent_fork_tool_call_id != null
}

function isGrowing({ status, blocks }: TurnProjection, index: number): boolean {
  return status === 'streaming' && index === blocks.length - 1
}
