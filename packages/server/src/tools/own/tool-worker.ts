import { AsyncLocalStorage } from 'node:async_hooks'
import { realpathSync } from 'node:fs'
import { enableCompileCache, registerHooks } from 'node:module'
import { Socket } from 'node:net'
import { inspect } from 'node:util'
import { type OwnTool, runTool, type ToolContext } from '@parley/tools'
import { boundedLines } from './bounded-lines.ts'
import { hasLeftBehind, whatHolds } from './left-behind.ts'
import { listTools, toolsIn } from './load-tools.ts'
import { resolveImports } from './resolve-imports.ts'
import type { ProcessJob, ProcessWord, Sent, ToolFiles, ToolProblem } from './tool-files.ts'

// The other side of `tool-process.ts`: the operator's files are imported here, and their tools run here, one at a time.

type Call = Extract<ProcessJob, { type: 'call' }>

/** Progress that comes faster is left out, but for the last. */
const APART_MS = 100

enableCompileCache()
const { project, moved } = JSON.parse(process.argv[2]!) as Pick<ToolFiles, 'project' | 'moved'>
// Node sees where links lead.
const real = moved && { from: moved.from, to: realpathSync(moved.to) }
registerHooks({ resolve: resolveImports({ project, ...(real && { moved: real }) }) })

type Say = (word: ProcessWord) => void

const channel = new Socket({ fd: 3, readable: true, writable: true })
// As they are now: tools may change them for everybody.
const { parse, stringify } = JSON
const write = channel.write.bind(channel)

/** Whose callback is running: what it throws where nobody catches it is its own failure. */
const scope = new AsyncLocalStorage<Call>()
/** `isOver`: what becomes of it is known, and nothing that it still does changes that. */
let current: { call: Call; stop: AbortController; say: Say; isOver: boolean } | undefined
let isSpent = false

process.on('uncaughtException', (error) => {
  tell(error)
  isSpent = true
  if (!current) return end()
  if (isLeftBehind(scope.getStore())) return
  done('error', `${current.call.name} threw where nobody could catch it: ${messageOf(error)}`)
})
const exit = process.exit.bind(process)
process.exit = (code) => {
  const call = scope.getStore()
  if (call && isLeftBehind(call))
    throw new Error(`${call.name} would have ended its process after its end, and with it another call.`)
  return exit(code)
}
// They are there from now on, whether or not a tool writes something.
void [process.stdout, process.stderr]
channel.on('error', end).on('close', end)
boundedLines(channel, { limit: Number.POSITIVE_INFINITY, onTooLong: end, onLine: hear })

/** Whether it comes from a call that is over, while this process is at work. */
function isLeftBehind(call: Call | undefined): boolean {
  return current !== undefined && (current.isOver || (call !== undefined && call !== current.call))
}

function hear(line: string): void {
  const { job: number, ...sent } = parse(line) as Sent
  // The number stays in here: whoever knows it can speak for the call.
  const say: Say = (word) => void write(`${stringify({ ...word, job: number })}\n`)
  if (sent.type === 'abort') current?.stop.abort(new Error('The call was stopped.'))
  else if (sent.type === 'list') void list(sent.files, say)
  else void call(sent, say)
}

async function list(files: readonly string[], say: Say): Promise<void> {
  const { tools, problems } = await listTools(files, (file) => say({ type: 'importing', file }))
  say({ type: 'listed', tools, problems: problems.map(original) })
}

/** As people know it: the folder they wrote, not the copy of it. */
function original({ file, message, ...place }: ToolProblem): ToolProblem {
  if (!moved || !real) return { ...place, file, message }
  const named = (text: string) => text.replaceAll(real.to, moved.from).replaceAll(moved.to, moved.from)
  return { ...place, file: named(file), message: named(message) }
}

async function call(job: Call, say: Say): Promise<void> {
  const stop = new AbortController()
  current = { call: job, stop, say, isOver: false }
  say({ type: 'importing', file: job.file })
  const { name, input, context } = job
  let before = whatHolds()
  const outcome = await scope.run(job, async () => {
    const found = await toolsIn(job.file).catch((error: unknown) => `cannot be loaded: ${messageOf(error)}`)
    if (typeof found === 'string') return found
    const tool = found.find((each) => each.name === name)
    if (!tool) return `is not in ${job.file} any more.`
    say({ type: 'begun' })
    before = whatHolds()
    return runTool(telling(tool), input, { ...context, signal: stop.signal, progress: progress(job, say) })
  })
  if (current?.call === job) current.isOver = true
  const isLeft = await hasLeftBehind(before)
  isSpent ||= isLeft || (typeof outcome !== 'string' && !outcome.settled)
  // It threw where nobody could catch it, and that was told already.
  if (current?.call !== job) return
  if (typeof outcome === 'string') return done('error', `${name} ${outcome}`)
  done(outcome.status, outcome.result)
}

function done(status: 'done' | 'error', result: Extract<ProcessWord, { type: 'done' }>['result']): void {
  const say = current?.say
  current = undefined
  say?.({ type: 'done', status, result, isSpent })
}

/** The model reads what a tool throws; whoever wrote it wants to know where. */
function telling(tool: OwnTool): OwnTool {
  return {
    ...tool,
    async run(input, context) {
      try {
        return await tool.run(input, context)
      } catch (error) {
        tell(error)
        throw error
      }
    },
  }
}

function tell(error: unknown): void {
  process.stderr.write(`${inspect(error)}\n`)
}

/** Nothing is told of a call that is over. */
function progress(call: Call, say: Say): ToolContext['progress'] {
  let next = 0
  let isDone = false
  return (message: unknown, { current: count, total } = { current: Number.NaN }) => {
    if (isLeftBehind(call) || !current) return
    const isLast = total !== undefined && count >= total && !isDone
    if (performance.now() < next && !isLast) return
    isDone ||= isLast
    next = performance.now() + APART_MS
    say({
      type: 'progress',
      message: String(message).slice(0, 1_000),
      ...(Number.isFinite(count) && { current: count }),
      ...(Number.isFinite(total) && { total }),
    })
  }
}

/** With all it started. */
function end(): void {
  process.kill(-process.pid, 'SIGKILL')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
