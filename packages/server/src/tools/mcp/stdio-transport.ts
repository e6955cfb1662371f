import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

export type StdioCommand = {
  command: string
  args: readonly string[]
  /** All it gets: nothing is inherited. */
  env: Readonly<Record<string, string>>
  cwd?: string
  /** Each line of its stderr, cut and without control characters. */
  onSaid: (line: string) => void
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
const STDERR_KEPT = 2000
const LINE_SHOWN = 500
const PATIENCE_MS = 1000

/**
 * Talks to a child over its stdin and stdout, one JSON message a line. Unlike the transport of the client package it
 * gives the child a process group of its own, so that whatever the child started ends with it, and a bare environment.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  readonly #options: StdioCommand
  #child: ChildProcessWithoutNullStreams | undefined
  #gone: Promise<void> = Promise.resolve()
  #pending: Buffer[] = []
  #pendingBytes = 0
  #stderr = ''
  #line = ''

  constructor(options: StdioCommand) {
    this.#options = options
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** The end of what the child wrote to stderr: its own words on why it died. */
  get lastWords(): string {
    return this.#stderr.trim().split('\n').at(-1)?.trim() ?? ''
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#options
    const child = spawn(command, args, { env, stdio: 'pipe', detached: true, ...(cwd !== undefined && { cwd }) })
    await once(child, 'spawn')
    child.on('error', (error) => this.onerror?.(error))
    this.#child = child
    this.#gone = this.#untilGone(child)
    child.stdin.on('error', (error) => this.onerror?.(error))
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT)
      this.#say(text)
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (!stdin?.writable) throw new Error('The MCP server has ended.')
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await Promise.race([once(stdin, 'drain'), this.#gone])
  }

  /** Closes its stdin, which is how a well-behaved server is told to end; after a moment its whole group is killed. */
  async close(): Promise<void> {
    const child = this.#child
    if (!child) return
    child.stdin.end()
    const ask = delay(PATIENCE_MS, 'SIGTERM' as const, { ref: false })
    const insist = delay(2 * PATIENCE_MS, 'SIGKILL' as const, { ref: false })
    for (const next of [ask, insist]) {
      const signal = await Promise.race([this.#gone, next])
      if (signal === undefined) return
      killGroup(child, signal)
    }
    await Promise.race([this.#gone, delay(PATIENCE_MS, undefined, { ref: false })])
  }

  async #untilGone(child: ChildProcessWithoutNullStreams): Promise<void> {
    const drained = new Promise((resolve) => child.once('close', resolve))
    await new Promise((resolve) => child.once('exit', resolve))
    // What it started must not outlive it, and would hold the pipes open.
    killGroup(child, 'SIGKILL')
    // Its last answer may still be in the pipe.
    await Promise.race([drained, delay(PATIENCE_MS)])
    this.#child = undefined
    this.onclose?.()
  }

  #say(text: string): void {
    const [first, ...more] = text.split(/[\r\n]+/)
    this.#line = (this.#line + first).slice(0, LINE_SHOWN)
    for (const next of more) {
      const line = stripVTControlCharacters(this.#line)
        .replaceAll(/\p{Cc}/gu, '')
        .trim()
      if (line !== '') this.#options.onSaid(line)
      this.#line = next.slice(0, LINE_SHOWN)
    }
  }

  #read(chunk: Buffer): void {
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    if (this.#pendingBytes > MAX_MESSAGE_BYTES && !chunk.includes('\n')) {
      this.onerror?.(new Error(`The MCP server sent a message of more than ${MAX_MESSAGE_BYTES} bytes.`))
      if (this.#child) killGroup(this.#child, 'SIGKILL')
      return
    }
    if (!chunk.includes('\n')) return
    const read = Buffer.concat(this.#pending)
    const end = read.lastIndexOf('\n') + 1
    this.#pending = [read.subarray(end)]
    this.#pendingBytes = read.length - end
    for (const line of read.toString('utf8', 0, end).split('\n')) this.#deliver(line)
  }

  #deliver(line: string): void {
    if (line.trim() === '') return
    try {
      this.onmessage?.(JSON.parse(line) as JSONRPCMessage)
    } catch (error) {
      // Some servers print a greeting first; it is not worth their connection.
      this.onerror?.(error as Error)
    }
  }
}

function killGroup({ pid }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody is left.
  }
}
