import type { AgentSession } from '@parley/client'
import type { ToolCallProjection, TurnProjection } from '@parley/protocol'
import { oneLine, printable } from './printable.ts'
import { StatusLine } from './status-line.ts'
import { subjectOf } from './subject-of.ts'
import type { Terminal } from './terminal.ts'

/** Tells on standard error what a run does, a line a step, until it is disposed of. */
export class RunProgress implements Disposable {
  readonly #terminal: Terminal
  readonly #status: StatusLine
  /** Turns and calls that have their line, and calls that were told to wait. */
  readonly #told = new Set<string>()
  #turns = 0
  #runId: string | null = null

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    this.#status = new StatusLine(terminal)
  }

  follow(session: AgentSession): void {
    session.on('system:notification', ({ notification_type, title, detail }) => {
      if (notification_type === 'tool:progress') return
      this.#status.line(`↻ ${oneLine([title, detail].filter(Boolean).join(': '))}`)
    })
    session.subscribe(() => {
      const { turns, runId } = session.getState()
      this.#runId ??= runId
      for (const turn of turns) if (this.#runId !== null && turn.run_id === this.#runId) this.#turn(turn)
    })
  }

  [Symbol.dispose](): void {
    this.#status[Symbol.dispose]()
  }

  #turn(turn: TurnProjection): void {
    const { words } = this.#terminal
    if (turn.role === 'user') return
    const indent = turn.parent_fork_tool_call_id == null ? '' : '│ '
    if (turn.kind === 'compaction') return this.#compaction(turn)
    if (indent === '' && this.#isNew(turn.turn_id))
      this.#status.line(words.progress.turn(++this.#turns, turn.model ?? ''))
    for (const call of turn.tool_calls) this.#call(call, indent)
    const pending = turn.tool_calls.find(({ status }) => status === 'pending')
    if (turn.status === 'streaming') this.#status.show(pending ? nameOf(pending) : words.progress.answering)
  }

  #call(call: ToolCallProjection, indent: string): void {
    const { words, style } = this.#terminal
    const { id, status, duration_ms } = call
    if (status === 'pending') return
    if (status === 'awaiting_answer') {
      if (this.#isNew(`${id} waits`)) this.#status.line(`${indent}? ${words.progress.waits(nameOf(call))}`)
      return
    }
    if (!this.#isNew(id)) return
    const mark = status === 'done' ? style.green('✓') : style.red('✗')
    const time = duration_ms == null ? '' : `  ${words.progress.seconds(duration_ms / 1_000)}`
    this.#status.line(`${indent}${mark} ${nameOf(call)}${style.dim(time)}`)
  }

  #compaction({ turn_id, status, tokens_before, tokens_after }: TurnProjection): void {
    const { progress } = this.#terminal.words
    if (status === 'streaming') this.#status.show(progress.compacting)
    else if (this.#isNew(turn_id))
      this.#status.line(
        status === 'completed' ? progress.compacted(tokens_before ?? 0, tokens_after ?? 0) : progress.notCompacted,
      )
  }

  #isNew(what: string): boolean {
    if (this.#told.has(what)) return false
    this.#told.add(what)
    return true
  }
}

function nameOf(call: ToolCallProjection): string {
  const about = oneLine(subjectOf(call), 60)
  return `${printable(call.display_name ?? call.tool_name)}${about && `  ${about}`}`
}
