import {
  type ContentBlock,
  isSpecialTool,
  parseArguments,
  ROOT_LOOP,
  textOf,
  type ToolCallProjection,
  type TurnProjection,
} from '@parley/protocol'
import { turnProjectionSchema } from '@parley/protocol/schemas'
import { parseBoundedJson } from '@parley/protocol/wire'
import type { z } from 'zod'
import type { AnswerPart, Ids } from '../ports.ts'
import { refusal } from './open-archive.ts'

const MAX_TURNS = 10_000

export type ImportedTurn = { turn: TurnProjection; parts: AnswerPart[] | null }

export type ImportedTurns = { turns: ImportedTurn[]; warnings: string[] }

/** What is taken of a turn; whatever else stands there is nobody's concern. */
const takenSchema = turnProjectionSchema.pick({
  ...{ loop_id: true, kind: true, role: true, status: true, blocks: true, tool_calls: true, model: true },
  ...{ duration_ms: true, started_at: true, parent_fork_tool_call_id: true, failure_reason: true, deprecated: true },
  content_parts: true,
})
type Taken = z.infer<typeof takenSchema>

/** Of its blocks, those that say something. Actions for a page, and changes of mode, happened elsewhere. */
const KEPT: readonly string[] = [
  'text',
  'thinking',
  'tool_use',
  'tool_result',
  'tool_ui',
  'system_notification',
  'plan_status',
  'ask_user_answer',
] satisfies ContentBlock['type'][]

/**
 * Turns from an archive, as turns of a new session: under new ids, marked as imported, of no run. So they name no host, hold
 * no consent, wait for nobody, and are the source of nothing that an answer here may cite.
 */
export class ImportedTurnsReader {
  readonly #ids: Ids
  readonly #turns: ImportedTurn[] = []
  /** Ids there, and here: of calls and loops. */
  readonly #calls = new Map<string, string>()
  readonly #loops = new Map<string, string>([[ROOT_LOOP, ROOT_LOOP]])
  #leftOut = 0
  #summaries = 0
  #attachments = 0
  #line = 0

  constructor(ids: Ids) {
    this.#ids = ids
  }

  /** One line of the file. */
  add(line: string): void {
    this.#line++
    if (line.trim() === '') return
    const read = takenSchema.safeParse(parseBoundedJson(line))
    if (!read.success) {
      const [problem] = read.error.issues
      throw refusal(`turns.jsonl, line ${this.#line}: ${[...(problem?.path ?? []), problem?.message].join(' ')}`)
    }
    if (this.#turns.length >= MAX_TURNS) throw refusal(`turns.jsonl has more than ${MAX_TURNS} turns.`)
    // The whole conversation is here: what does not fit the model is summed up here.
    if (read.data.kind === 'compaction') this.#summaries++
    else if (read.data.deprecated !== true) this.#turns.push(this.#imported(read.data))
  }

  end(): ImportedTurns {
    return {
      turns: this.#turns,
      warnings: [
        ...(this.#leftOut > 0 ? [`${this.#leftOut} parts of turns are not imported.`] : []),
        ...(this.#attachments > 0
          ? ['What was attached to messages is in the workspace, and not shown with them.']
          : []),
        ...(this.#summaries > 0 ? ['Summaries are not imported: the model gets the whole conversation.'] : []),
      ],
    }
  }

  #imported(given: Taken): ImportedTurn {
    if (given.content_parts) this.#attachments++
    const made = given.tool_calls.filter((call) => !isConsent(call))
    const tool_calls = made.map((call) => this.#call(call))
    const kept = given.blocks.filter(({ type, tool_call_id }) => {
      return KEPT.includes(type) && (tool_call_id === null || this.#calls.has(tool_call_id))
    })
    this.#leftOut += given.blocks.length - kept.length + given.tool_calls.length - made.length
    const turn: TurnProjection = {
      id: this.#ids.next('entry'),
      sequence: this.#turns.length,
      turn_id: this.#ids.next('turn'),
      loop_id: this.#loop(given.loop_id),
      kind: 'message',
      role: given.role,
      status: given.status === 'completed' || given.status === 'failed' ? given.status : 'interrupted',
      blocks: kept.map((block) => this.#block(block)),
      tool_calls,
      model: given.model,
      // What was counted elsewhere says nothing about a model here.
      usage: null,
      duration_ms: Math.max(0, given.duration_ms),
      started_at: timeOf(given.started_at),
      context_window: 0,
      memory_refs: null,
      parent_fork_tool_call_id: this.#calls.get(given.parent_fork_tool_call_id ?? '') ?? null,
      failure_reason: given.failure_reason,
      patch_sequence: 0,
      run_id: null,
      imported: true,
    }
    return { turn, parts: turn.role === 'assistant' && tool_calls.length > 0 ? partsOf(turn) : null }
  }

  #call(call: ToolCallProjection): ToolCallProjection {
    const id = this.#ids.next('tc')
    this.#calls.set(call.id, id)
    const isOver = call.status !== 'pending' && call.status !== 'awaiting_answer'
    return {
      id,
      tool_name: call.tool_name,
      display_name: call.display_name,
      arguments: call.arguments,
      status: isOver ? call.status : 'cancelled',
      result: call.result ?? null,
      duration_ms: call.duration_ms,
      pending_question_ref: null,
    }
  }

  #block(block: ContentBlock): ContentBlock {
    const { type, content, tool_call_id, tool_name, display_name } = block
    const id = tool_call_id === null ? null : (this.#calls.get(tool_call_id) ?? null)
    return { type, content, tool_call_id: id, tool_name, display_name } as ContentBlock
  }

  #loop(loop_id: string): string {
    const known = this.#loops.get(loop_id) ?? this.#ids.next('agent')
    this.#loops.set(loop_id, known)
    return known
  }
}

/** A question of the server, which was no part of the conversation there either. */
function isConsent({ tool_name, arguments: given }: ToolCallProjection): boolean {
  return isSpecialTool(tool_name, 'AskUserQuestion') && 'confirmation' in parseArguments(given)
}

/** As a model made them: results without their calls are refused by providers. */
function partsOf(turn: TurnProjection): AnswerPart[] {
  const text = textOf(turn)
  const calls = turn.tool_calls.map(({ id, tool_name, arguments: given }): AnswerPart => {
    return { type: 'tool_call', id, name: tool_name, arguments: given }
  })
  return text === '' ? calls : [{ type: 'text', text }, ...calls]
}

function timeOf(given: string | null): string | null {
  const at = Date.parse(given ?? '')
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
