import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NodeProcess, startNode } from '@parley/testkit'
import { type Caller, eventStreamCaller, parleyCaller } from './clients.ts'

/** A server under test, and how somebody talks to it. */
export type Target = { name: string; process: NodeProcess; caller: () => Promise<Caller> }

const root = join(import.meta.dirname, '../..')
const KEY = 'sk-bench-0123456789012345678901234567'

/** The floor: it stores nothing and only pipes. */
export async function plain(provider: string): Promise<Target> {
  return standIn('plain Node, piping', {
    file: 'plain.ts',
    provider,
    textOf: (event) => (event['choices'] as { delta?: { content?: string } }[])[0]?.delta?.content,
  })
}

export async function aiSdk(provider: string): Promise<Target> {
  return standIn('AI SDK streamText', {
    file: 'ai-sdk.ts',
    provider,
    textOf: (event) => (event['type'] === 'text-delta' ? (event['delta'] as string) : undefined),
  })
}

type StandIn = { file: string; provider: string; textOf: (event: Record<string, unknown>) => string | undefined }

async function standIn(name: string, { file, provider, textOf }: StandIn): Promise<Target> {
  const server = startNode(join(import.meta.dirname, file), [provider])
  const url = `http://127.0.0.1:${(await server.line(/listening (\d+)/))[1]}`
  return { name, process: server, caller: async () => eventStreamCaller(url, textOf) }
}

export type ParleyOptions = {
  models: readonly string[]
  /** Of PostgreSQL; without it, SQLite in a directory of its own. */
  databaseUrl?: string
}

/** Our own server, as people run it, with its journal on disk. */
export async function parley(provider: string, { models, databaseUrl }: ParleyOptions): Promise<Target> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const configured = models.map((id) => ({ id, provider: 'openai-compatible', url: `${provider}/v1`, model: id }))
  await writeFile(
    join(directory, 'parley.config.json'),
    JSON.stringify({ models: configured, port: 0, ownerKey: KEY, language: 'en', ...(databaseUrl && { databaseUrl }) }),
  )
  const server = startNode(join(root, 'packages/server/bundle/main.js'), [], {
    cwd: directory,
  })
  void server.exited.then(() => rm(directory, { recursive: true, force: true }))
  const url = (await server.line(/listening on (http:\S+?)"?[,}]/))[1]!.replaceAll('"', '')
  const name = `Parley, ${databaseUrl ? 'PostgreSQL' : 'SQLite'} journal`
  return { name, process: server, caller: () => parleyCaller(url, KEY) }
}

/** Milliseconds of processor that a process has used. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

export function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}

export function quantile(values: number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * q)]!
}
