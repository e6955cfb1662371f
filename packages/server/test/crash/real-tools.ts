import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ToolCallProjection } from '@parley/protocol'
import type { FakeChoice } from '@parley/testkit'
import type { ServerOptions } from '../../src/config/options.ts'
import type { Arena } from './arena.ts'

const filesystem = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js')

/** The model makes the call that the message holds, and is content with whatever comes of it. */
export const caller: FakeChoice = ({ question, results }) =>
  results.length === 0 ? { calls: [JSON.parse(question) as { name: string; arguments: object }] } : { text: 'I see.' }

/** A call of a real tool, and the file that tells what came of it. */
export type Deed = { tool: string; file: string; input: object }

/** Tools of every kind that change something: a second run of any of them shows in its file. */
export const NEVER = ['Bash', 'Edit', 'mcp__files__edit_file'] as const
/** Tools that only look: what they saw tells when. */
export const SAFE = ['Read', 'Grep', 'mcp__files__read_text_file'] as const

/** The server with a real MCP server beside its own tools; those that change something run at once, or ask. */
export function withRealTools(arena: Arena, decision: 'allow' | 'ask'): ServerOptions {
  return {
    // None is lost before the server is: only on PostgreSQL does anybody wait until it has run out.
    leaseMs: arena.kind === 'sqlite' ? 20_000 : 3_000,
    mcpServers: { files: { command: process.execPath, args: [filesystem, placeOf(arena)] } },
    policy: { rules: NEVER.map((tool) => ({ tool, decision })), headless: 'fail', confirmationMinutes: 15 },
  }
}

/** Lays out what the tool works on in this session. */
export async function prepareDeed(arena: Arena, session_id: string, tool: string): Promise<Deed> {
  const isForeign = tool.startsWith('mcp__')
  const directory = isForeign ? placeOf(arena) : join(arena.directory, 'workspaces', session_id)
  const name = `${session_id}.txt`
  const file = join(directory, name)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeFile(file, 'old\nend\n')
  return { tool, file, input: inputOf(tool, isForeign ? file : name) }
}

/** How often the deed was done. */
export function timesDone({ file }: Deed): number {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line === 'line').length
}

/** From now on whoever looks sees something else. */
export function renew({ file }: Deed): void {
  writeFileSync(file, 'new\nend\n')
}

export function textOfResult({ result }: ToolCallProjection): string {
  return typeof result === 'string' ? result : JSON.stringify(result)
}

/** The MCP server's own directory, made before it starts. */
export function placeOf({ directory }: Arena): string {
  return join(directory, 'files')
}

function inputOf(tool: string, path: string): object {
  switch (tool) {
    case 'Bash':
      return { command: `echo line >> ${path}` }
    case 'Edit':
      return { file_path: path, old_string: 'end', new_string: 'line\nend' }
    case 'mcp__files__edit_file':
      return { path, edits: [{ oldText: 'end', newText: 'line\nend' }] }
    case 'Grep':
      return { pattern: 'old|new', path, output_mode: 'content' }
    case 'mcp__files__read_text_file':
      return { path }
    default:
      return { file_path: path }
  }
}
