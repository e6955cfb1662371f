import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Session } from '@parley/protocol'
import type { Agent, AgentDetail } from '@parley/protocol/rest'
import type { Answer, World } from '../wire/world.ts'

/** A directory of agents' folders that a test writes to. */
export class Folders implements AsyncDisposable {
  readonly path: string

  static async make(files: Record<string, string> = {}): Promise<Folders> {
    const folders = new Folders(await mkdtemp(join(tmpdir(), 'parley-agents-')))
    await folders.write(files)
    return folders
  }

  constructor(path: string) {
    this.path = path
  }

  /** As an editor saves: whole, under another name first. */
  async write(files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      const at = join(this.path, path)
      await mkdir(dirname(at), { recursive: true })
      await writeFile(`${at}.saving`, text)
      await rename(`${at}.saving`, at)
    }
  }

  remove(path: string): Promise<void> {
    return rm(join(this.path, path), { recursive: true })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.path, { recursive: true, force: true })
  }
}

export async function agentsOf(world: World, token?: string): Promise<Agent[]> {
  return (await world.rest<{ items: Agent[] }>('GET', '/api/agents', token === undefined ? {} : { token })).body.items
}

export async function agentOf(world: World, name: string): Promise<AgentDetail> {
  return (await world.rest<AgentDetail>('GET', `/api/agents/${name}`)).body
}

export async function begin(
  world: World,
  agent?: string,
  token?: string,
): Promise<Answer<Session & { code?: string }>> {
  const body = agent === undefined ? {} : { agent }
  return world.rest('POST', '/api/sessions', { body, ...(token !== undefined && { token }) })
}

/** What a new session of this agent would be told, by the version that it gets. */
export async function newestInstructions(world: World, name: string): Promise<string | null> {
  return (await agentOf(world, name)).instructions
}

export function use(world: World, path: `${string}/${string}`, token?: string): Promise<Answer<Agent>> {
  const [name, version] = path.split('/')
  return world.rest('POST', `/api/agents/${name}/versions/${version}:use`, token === undefined ? {} : { token })
}
