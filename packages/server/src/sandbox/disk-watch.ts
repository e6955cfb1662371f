import { statfs } from 'node:fs/promises'
import type { Limits } from './sandbox.ts'

export type DiskWatchActions = {
  /** Has the workspace weighed, in a place where only its own files can be met; the answer goes to `weighed`. */
  weigh: () => void
  /** The disk has no more to give, and the command may be who takes it. */
  end: () => void
}

const LOOK_MS = 250
/** What a disk may lose without a command being suspected: the database and its log write too. */
const SLACK = { bytes: 1024 ** 2, files: 1_000 }
/** A workspace is weighed when the disk has lost this part of what a workspace may hold, and at 64 MB at the latest. */
const STEP_PART = 1 / 16
const MAX_STEP_BYTES = 64 * 1024 ** 2
/** How long a workspace that was over its limit is taken to be so still. */
const OVER_MS = 60_000

/** What is known of a workspace from the commands before. */
type Known = {
  /** What the disk lost during them since it was last weighed: many that write a little are one that writes much. */
  lost: number
  /** When it was over its limit, and what the disk had left then. */
  over?: { at: number; bytes: number }
}
/** The oldest are forgotten first. */
const known = new Map<string, Known>()
const MAX_KNOWN = 10_000

/**
 * Holds a command to the room it has on the disk. To walk a workspace costs, so the disk itself is asked first, which tells
 * at once what it has left; only when that shrinks the workspace is weighed. Who takes nothing is never ended; but a
 * command that begins where there is no room left may only read and delete.
 */
export class DiskWatch implements AsyncDisposable {
  readonly #workspace: string
  readonly #limits: Limits
  readonly #step: number
  readonly #known: Known
  /** True when there was nothing to give away at the start: the command may read and delete, and not write. */
  readonly isReadOnly: boolean
  #timer: NodeJS.Timeout | undefined
  #room: Room
  /** The most there was since the workspace was last weighed; and ever. */
  #most: Room
  #mostEver: Room
  #weighing: { since: number } | undefined
  #notBefore = 0

  /** Right before a command starts; `undefined` where the disk cannot be asked. */
  static async open(workspace: string, limits: Limits): Promise<DiskWatch | undefined> {
    const room = await roomOn(workspace)
    return room && new DiskWatch(workspace, limits, room)
  }

  private constructor(workspace: string, limits: Limits, room: Room) {
    this.#workspace = workspace
    this.#limits = limits
    this.#step = Math.min(MAX_STEP_BYTES, limits.workspaceBytes * STEP_PART)
    this.#room = this.#most = this.#mostEver = room
    const { lost, over } = known.get(workspace) ?? { lost: 0 }
    const isOver = over && performance.now() - over.at < OVER_MS && room.bytes - over.bytes < SLACK.bytes
    // Time has passed, or something was deleted: it is weighed as soon as it can be.
    this.#known = over && !isOver ? { lost: this.#step } : { lost, ...(over && { over }) }
    // What no command lived long enough to have weighed is taken to be there.
    if (lost > limits.workspaceBytes) this.#known.over ??= { at: performance.now(), bytes: room.bytes }
    this.isReadOnly = this.#known.over !== undefined || this.#isFull(room)
  }

  start({ weigh, end }: DiskWatchActions): void {
    this.#timer = setInterval(() => void this.#look(weigh, end), LOOK_MS)
    this.#timer.unref()
    void this.#look(weigh, end)
  }

  /** The answer to `weigh`; `isPart`: not all of it could be seen. True when it is too much, and the command's doing. */
  weighed(bytes: number, isPart: boolean): boolean {
    const { workspaceBytes } = this.#limits
    const now = performance.now()
    // Where walking takes long it must not become all that is done.
    this.#notBefore = now + 2 * (now - (this.#weighing?.since ?? now))
    this.#weighing = undefined
    const taken = this.#mostEver.bytes - this.#room.bytes
    this.#known.lost = 0
    this.#most = this.#room
    const isOver = bytes > workspaceBytes || (isPart && taken > workspaceBytes)
    if (isOver) this.#known.over = { at: now, bytes: this.#room.bytes }
    else delete this.#known.over
    return isOver && !this.isReadOnly && taken >= this.#step
  }

  /** The command is gone: what it took and nobody has weighed counts for the next one. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#measure()
    this.#known.lost = this.#lost()
    known.delete(this.#workspace)
    if (this.#known.lost > 0 || this.#known.over) known.set(this.#workspace, this.#known)
    const [oldest] = known.keys()
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
  }

  async #look(weigh: () => void, end: () => void): Promise<void> {
    await this.#measure()
    const isTaking =
      this.#mostEver.bytes - this.#room.bytes > SLACK.bytes || this.#mostEver.files - this.#room.files > SLACK.files
    if (isTaking && !this.isReadOnly && this.#isFull(this.#room)) return end()
    if (this.#weighing || performance.now() < this.#notBefore || this.#lost() < this.#step) return
    this.#weighing = { since: performance.now() }
    weigh()
  }

  async #measure(): Promise<void> {
    this.#room = (await roomOn(this.#workspace)) ?? this.#room
    this.#most = larger(this.#most, this.#room)
    this.#mostEver = larger(this.#mostEver, this.#room)
  }

  #lost(): number {
    return this.#known.lost + this.#most.bytes - this.#room.bytes
  }

  #isFull({ bytes, allBytes, files, allFiles }: Room): boolean {
    const { reserveBytes, reservePart } = this.#limits
    return bytes < Math.min(reserveBytes, allBytes * reservePart) || files < allFiles * Math.min(reservePart, 0.05)
  }
}

/** What is left of a disk, and what it has in all; a disk that does not count files has none of both. */
type Room = { bytes: number; allBytes: number; files: number; allFiles: number }

async function roomOn(path: string): Promise<Room | undefined> {
  try {
    const { bavail, blocks, bsize, ffree, files } = await statfs(path)
    return { bytes: bavail * bsize, allBytes: blocks * bsize, files: ffree, allFiles: files }
  } catch {
    return undefined
  }
}

function larger(one: Room, other: Room): Room {
  return { ...other, bytes: Math.max(one.bytes, other.bytes), files: Math.max(one.files, other.files) }
}
