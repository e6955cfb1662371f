import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AgentError } from '@parley/protocol'
import type { Engine } from '../store/engine.ts'
import type { Agents, AgentVersion } from './agent-version.ts'
import type { Copies } from './copies.ts'
import type { DescribedFolder } from './folder/folder-parts.ts'
import type { AgentFile } from './folder/read-folder.ts'
import { inRole } from './in-role.ts'
import { packFiles, unpackFiles } from './pack-files.ts'
import { findFiles, replaceFiles } from './version-rows.ts'

/** Versions that are remembered; what falls out is read again from its copy. */
const REMEMBERED = 500

export type VersionsOptions = {
  engine: Engine
  copies: Copies
  /** Where the folder of this name would be, if any are here. */
  folderOf: (name: string) => string | undefined
  /** Nobody who lacks the server's secret can make, or read, what is stored. */
  seal: { seal: (text: string) => string; open: (sealed: string) => string }
  onError: (error: unknown, about: About) => void
  /** A copy was not what was stored, and is made anew. */
  onChanged: (about: About) => void
}

type About = { agent: string; version: string }

type TakenFolder = { name: string; digest: string; files: readonly AgentFile[] }

/** The versions of agents: from memory, from their copy on this machine, or from the database. */
export class Versions {
  readonly #options: VersionsOptions
  readonly #known = new Map<string, Promise<AgentVersion>>()

  constructor(options: VersionsOptions) {
    this.#options = options
  }

  readonly of: Agents['of'] = async ({ agent, agent_digest, biz_role_id }) =>
    agent === null || agent_digest === null ? null : inRole(await this.find(agent, agent_digest), biz_role_id)

  async find(name: string, digest: string): Promise<AgentVersion> {
    const key = keyOf(name, digest)
    const known = this.#known.get(key)
    if (known) return known
    const loading = this.#load(name, digest)
    this.#remember(key, loading)
    try {
      return await loading
    } catch (error) {
      // It may be here tomorrow.
      this.#known.delete(key)
      throw error
    }
  }

  /** Makes the copy of a version that was just read from its folder, and remembers it. Throws a `FolderError`. */
  async take({ name, digest, files }: TakenFolder): Promise<{ version: AgentVersion; warnings: string[] }> {
    const { describeFolder } = await import('./folder/describe-folder.ts')
    const described = describeFolder(name, files)
    await this.#options.copies.write(name, digest, files)
    const version = this.#version({ name, digest, files }, described)
    this.#remember(keyOf(name, digest), Promise.resolve(version))
    return { version, warnings: described.warnings }
  }

  /** The same, and its copy is what was stored: before something runs from there. */
  readonly ready: Agents['ready'] = async (session) => {
    const version = await this.of(session)
    if (version) await this.verify(version)
    return version
  }

  /** Puts a copy right that somebody has changed. Throws `agent_not_available` when that cannot be done. */
  async verify({ name, digest, files }: AgentVersion): Promise<void> {
    const { copies, onChanged } = this.#options
    if (await copies.isGood(name, digest, files)) return
    onChanged({ agent: name, version: digest })
    await this.#orUnavailable(name, digest, async () =>
      copies.write(name, digest, await this.#demandStored(name, digest)),
    )
  }

  async pack(files: readonly AgentFile[]): Promise<string> {
    return this.#options.seal.seal(await packFiles(files))
  }

  /** Puts right what is stored of a version whose files are at hand, if that cannot be opened. */
  async mend(name: string, digest: string, packed: string): Promise<boolean> {
    const { engine } = this.#options
    if (await this.#stored(name, digest).catch(() => undefined)) return false
    await engine.write(() => replaceFiles(name, digest, packed))
    return true
  }

  async files(name: string, digest: string): Promise<AgentFile[]> {
    const { files } = await this.find(name, digest)
    return (await this.#options.copies.read(name, digest, files)) ?? []
  }

  #load(name: string, digest: string): Promise<AgentVersion> {
    const { copies } = this.#options
    return this.#orUnavailable(name, digest, async () => {
      const copied = await copies.read(name, digest)
      const files = copied ?? (await this.#demandStored(name, digest))
      if (!copied) await copies.write(name, digest, files)
      const { describeFolder } = await import('./folder/describe-folder.ts')
      return this.#version({ name, digest, files }, describeFolder(name, files))
    })
  }

  async #orUnavailable<T>(name: string, digest: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.#options.onError(error, { agent: name, version: digest })
      throw new AgentError(
        'agent_not_available',
        `The version ${digest.slice(0, 12)} of the agent ${name} cannot be had.`,
        { details: { agent: name, version: digest }, cause: error },
      )
    }
  }

  async #demandStored(name: string, digest: string): Promise<AgentFile[]> {
    const files = await this.#stored(name, digest)
    if (!files) throw new Error('It is not stored.')
    return files
  }

  /** Throws when that is not what this server, or one with the same secret, has stored. */
  async #stored(name: string, digest: string): Promise<AgentFile[] | undefined> {
    const { engine, seal } = this.#options
    const sealed = await engine.read(() => findFiles(name, digest))
    return sealed === undefined ? undefined : unpackFiles(seal.open(sealed), name, digest)
  }

  #version({ name, digest, files }: TakenFolder, described: DescribedFolder): AgentVersion {
    const { copies, folderOf } = this.#options
    const { toolFiles, hasSkills, warnings: _said, ...said } = described
    const directory = copies.directoryOf(digest)
    const origin = folderOf(name)
    return {
      ...{ name, digest, directory, ...said },
      work: copies.workOf(digest),
      files: files.map(({ path }) => path),
      origin: origin !== undefined && existsSync(origin) ? origin : null,
      toolFiles: toolFiles.map((path) => join(directory, path)),
      skills: hasSkills ? join(directory, 'skills') : null,
      role: null,
      localSkills: null,
      importedSkills: described.solution?.settings.imported_skills ?? null,
    }
  }

  #remember(key: string, version: Promise<AgentVersion>): void {
    this.#known.set(key, version)
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value!)
  }
}

function keyOf(name: string, digest: string): string {
  return `${name} ${digest}`
}
