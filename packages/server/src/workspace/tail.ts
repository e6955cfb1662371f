import { AgentError } from '@parley/protocol'
import type { FastifyRequest } from 'fastify'

export type Tailed = { Params: { session_id: string; '*'?: string } }

/**
 * The path in the tail of a URL, decoded once: `a/b` and `a%2Fb` are the same. Nothing, `.` and `./` are the workspace.
 * What leads out of it is found when it is resolved; an absolute one is refused here.
 */
export function tailOf(request: FastifyRequest<Tailed>): string {
  const tail = request.params['*'] ?? ''
  demandRelative(tail)
  return tail.replace(/\/+$/, '') || '.'
}

/**
 * What `POST …/files/{file_path}/rename` and `/copy` are about. The word counts only at the very end and as itself: a
 * file that is called `rename` is reached with an encoded segment.
 */
export function actionOf(request: FastifyRequest<Tailed>): { action: 'rename' | 'copy'; path: string } | undefined {
  const action = /\/files\/.+\/(rename|copy)\/?$/.exec(request.url.split('?')[0]!)?.[1]
  if (action !== 'rename' && action !== 'copy') return undefined
  const tail = (request.params['*'] ?? '').replace(/\/+$/, '').slice(0, -`/${action}`.length)
  demandRelative(tail)
  return { action, path: tail }
}

export function demandRelative(path: string): void {
  if (path.includes('\0')) throw new AgentError('invalid_path', 'The path contains a NUL character.')
  if (path.startsWith('/'))
    throw new AgentError('invalid_path', `${path} is absolute; paths are relative to the workspace.`)
}
