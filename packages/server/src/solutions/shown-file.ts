import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AgentError } from '@parley/protocol'
import type { AgentVersion } from '../agents/agent-version.ts'

/** Files that may hold what nobody shall see: addresses and tokens of servers, rules, programs. */
const HIDDEN = [
  /^mcp\.json$/,
  /^policy\.yaml$/,
  /^tools\//,
  /(?:^|\/)resources\//,
  /(?:^|\/)tools\.py$/,
  /\.mcp\.json$/,
]
const HIDDEN_NAME = /(?:^|\/)(?:[^/]*\.(?:env|pem|key|p12|pfx)|\.[^/]*|[^/]*(?:secret|credential|password)[^/]*)$/i

/** A text file of a solution, as new sessions get it. What is hidden looks like what is not there. */
export async function readShownFile(
  { directory, files, name }: AgentVersion,
  tail: string,
): Promise<{ text: string; type: string }> {
  const path = tail.replace(/\/+$/, '')
  if (path === '' || path.startsWith('/') || /\p{Cc}|\\/u.test(path) || path.split('/').includes('..'))
    throw new AgentError('invalid_path', 'The path must lead to a file in the folder of the solution.')
  // The list is the version's: whatever is not on it is not even looked for.
  if (!files.includes(path) || isHidden(path)) throw new AgentError('not_found', `There is no file ${path} in ${name}.`)
  const bytes = await readFile(join(directory, path))
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { text, type: path.endsWith('.json') ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8' }
  } catch (error) {
    throw new AgentError('invalid_payload', `${path} is no text.`, { cause: error })
  }
}

function isHidden(path: string): boolean {
  return HIDDEN.some((pattern) => pattern.test(path)) || HIDDEN_NAME.test(path)
}
