import type { Socket } from 'socket.io-client'

// Three clients as somebody would write them who has the specifications (000 chat flow, 004 core types) and nothing else: no
// import of ours, none of our extensions, everything they do not know ignored.

type Block = { type: string; content: unknown }
type Turn = {
  turn_id: string
  sequence: number
  role: string
  status: string
  blocks: Block[]
  parent_fork_tool_call_id: string | null
}
type Patch = {
  turn_id: string
  patch_type: string
  data: {
    type?: string
    text_delta?: string | null
    content?: unknown
    id?: string
    tool_call_id?: string
    status?: string
  }
}

/** What a person would read: every turn's text, in order, sub-agents with the call they belong to. */
export type Page = { turn_id: string; parent: string | null; text: string; thinking: string }[]

export interface SeedClient {
  page(): Promise<Page>
}

/** 策略 A: a bubble per turn, text appended increment by increment; `turn:end` only marks it as finished. */
export class EveryIncrement implements SeedClient {
  readonly #bubbles = new Map<string, { sequence: number; parent: string | null; text: string; thinking: string }>()
  readonly tools = new Map<string, string>()
  readonly finished = new Map<string, string>()

  constructor(socket: Socket) {
    socket.on('turn:start', (turn: Turn) => {
      this.#bubbles.set(turn.turn_id, {
        sequence: turn.sequence,
        parent: turn.parent_fork_tool_call_id,
        text: extract(turn, 'text'),
        thinking: extract(turn, 'thinking'),
      })
    })
    socket.on('turn:patch', ({ turn_id, patch_type, data }: Patch) => {
      const bubble = this.#bubbles.get(turn_id)
      if (patch_type === 'add_content' && data.text_delta) {
        if (data.type === 'text') bubble!.text += data.text_delta
        if (data.type === 'thinking') bubble!.thinking += data.text_delta
      }
      if (patch_type === 'add_tool_call') this.tools.set(data.id!, 'running…')
      if (patch_type === 'tool_result') this.tools.set(data.tool_call_id!, data.status!)
      if (patch_type === 'set_tool_status') this.tools.set(data.tool_call_id!, data.status!)
      if (patch_type === 'set_status') this.finished.set(turn_id, data.status!)
    })
    socket.on('turn:end', (turn: Turn) => this.finished.set(turn.turn_id, turn.status))
  }

  async page(): Promise<Page> {
    return [...this.#bubbles]
      .sort(([, a], [, b]) => a.sequence - b.sequence)
      .map(([turn_id, { parent, text, thinking }]) => ({ turn_id, parent, text, thinking }))
  }
}

/** 策略 B: at `turn:end` the whole projection replaces the turn, or is added. */
export class EveryTurn implements SeedClient {
  readonly #turns = new Map<string, Turn>()

  constructor(socket: Socket) {
    socket.on('turn:end', (turn: Turn) => this.#turns.set(turn.turn_id, turn))
  }

  async page(): Promise<Page> {
    return pageOf([...this.#turns.values()])
  }
}

/** 策略 C: nothing but `chat:end`, and then everything over REST. */
export class EveryRun implements SeedClient {
  #turns: Promise<Turn[]> = Promise.resolve([])

  constructor(socket: Socket, session_id: string, get: (path: string) => Promise<unknown>) {
    socket.on('chat:end', () => {
      this.#turns = get(`/api/sessions/${session_id}/messages`) as Promise<Turn[]>
    })
  }

  async page(): Promise<Page> {
    return pageOf(await this.#turns)
  }
}

function pageOf(turns: Turn[]): Page {
  return turns
    .sort((a, b) => a.sequence - b.sequence)
    .map((turn) => ({
      turn_id: turn.turn_id,
      parent: turn.parent_fork_tool_call_id,
      text: extract(turn, 'text'),
      thinking: extract(turn, 'thinking'),
    }))
}

/** 从 Turn 中提取纯文本 */
function extract(turn: Turn, type: string): string {
  let text = ''
  for (const block of turn.blocks) if (block.type === type) text += block.content as string
  return text
}
