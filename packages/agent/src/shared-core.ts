import { resolve } from 'node:path'
import { type GivenModel, type GivenSetup, type InProcess, openInProcess } from '@parley/server/in-process'
import type { Logger } from './plugins/tool.ts'

/** What a run is worked on with, on one side or the other of a crash. */
export type Work = { model: GivenModel; setup: GivenSetup }

/** One agent among those that share a database. */
export type Member = { name: string; language: 'zh' | 'en'; logger: Logger; work: (session_id: string) => Work }

const cores = new Map<string, SharedCore>()

/** Agents of one process over one directory share what is open: there is one journal, and one run at a time in a session. */
export function sharedCoreAt(dataDir: string | undefined): SharedCore {
  if (dataDir === undefined) return new SharedCore(undefined)
  const path = resolve(dataDir)
  const core = cores.get(path) ?? new SharedCore(path)
  cores.set(path, core)
  return core
}

/** Opened for the first agent that works, closed after the last one has left. */
export class SharedCore {
  readonly #dataDir: string | undefined
  readonly #members = new Set<Member>()
  /** Work of messages under way, by the model that each of them names. */
  readonly #chats = new Map<string, Work>()
  #opened: Promise<InProcess> | undefined
  #closed: Promise<unknown> = Promise.resolve()

  constructor(dataDir: string | undefined) {
    this.#dataDir = dataDir
  }

  /** What was left by an earlier process is taken up by whoever enters first. */
  async enter(member: Member): Promise<InProcess> {
    this.#members.add(member)
    const opened = (this.#opened ??= this.#open(member))
    try {
      return await opened
    } catch (error) {
      // It may be free tomorrow.
      if (this.#opened === opened) this.#opened = undefined
      throw error
    }
  }

  async leave(member: Member): Promise<void> {
    this.#members.delete(member)
    const opened = this.#opened
    if (this.#members.size === 0 && opened) {
      this.#opened = undefined
      this.#closed = opened.then((core) => core[Symbol.asyncDispose]()).catch(() => undefined)
    }
    await this.#closed
  }

  /** For the time of one message: its run finds this work by the name of the model. */
  take(name: string, work: Work): Disposable & { model: string } {
    const model = `${name}#${crypto.randomUUID()}`
    this.#chats.set(model, work)
    return { model, [Symbol.dispose]: () => void this.#chats.delete(model) }
  }

  async #open({ language, logger }: Member): Promise<InProcess> {
    await this.#closed
    return openInProcess({
      ...{ dataDir: this.#dataDir, language },
      findModel: (id) => this.#find(id, '')?.model,
      setup: ({ model, session_id }) => this.#find(model, session_id)?.setup ?? NOTHING,
      log: ({ level, message, details }) => logger[level](message, details),
    })
  }

  /** Of a message of this process; else of an agent whose model has that name. */
  #find(model: string, session_id: string): Work | undefined {
    const known = this.#chats.get(model)
    if (known) return known
    const name = model.slice(0, model.lastIndexOf('#'))
    return [...this.#members].find((member) => member.name === name)?.work(session_id)
  }
}

const NOTHING: GivenSetup = { system: '', tools: () => [], maxTurns: 1, consentMs: 60_000 }
