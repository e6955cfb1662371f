import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { McpServerHealth } from '@parley/protocol/rest'
import { findEgressError } from '../../egress/egress-error.ts'

export type DownCode = NonNullable<McpServerHealth['failure']>['code']

/** It was connected, or on its way to be, and hung up. */
export class ServerEnded extends Error {
  override readonly name = 'ServerEnded'
}

const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])
const SLOW = new Set(['REQUEST_TIMEOUT', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'])

/** What kind of failure it is, for people; the error's own words are for the log and the owner. */
export function whyDown(error: unknown): DownCode {
  if (error instanceof ServerEnded) return 'ended'
  const chain = causesOf(error)
  const codes = chain.map(({ code }) => (typeof code === 'string' ? code : ''))
  const spawning = chain.find(({ syscall }) => syscall?.startsWith('spawn'))
  if (spawning) return codes.includes('ENOENT') || !isThere(spawning.path) ? 'command_not_found' : 'not_executable'
  const refusal = findEgressError(error)
  if (refusal) return EGRESS[refusal.code] ?? 'other'
  const status = chain.map(statusOf).find((one) => one !== undefined)
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 404 || status === 405) return 'not_found'
  if (codes.some((code) => SLOW.has(code))) return 'timeout'
  if (codes.includes('CONNECTION_CLOSED')) return 'ended'
  return codes.some((code) => UNREACHABLE.has(code)) ? 'unreachable' : 'other'
}

const EGRESS: Partial<Record<string, DownCode>> = {
  refused_url: 'refused',
  refused_host: 'refused',
  not_found: 'unreachable',
  network: 'unreachable',
  timeout: 'timeout',
}

/** A directory of the PATH that may not be read makes "not there" look like "not allowed". */
function isThere(command = ''): boolean {
  if (command.includes('/')) return existsSync(command)
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)))
}

type Told = Error & { code?: unknown; syscall?: string; path?: string; status?: unknown; data?: { status?: unknown } }

function causesOf(error: unknown): Told[] {
  const chain: Told[] = []
  for (let at = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at)
  return chain
}

function statusOf({ status, data }: Told): number | undefined {
  const told = status ?? data?.status
  return typeof told === 'number' ? told : undefined
}
