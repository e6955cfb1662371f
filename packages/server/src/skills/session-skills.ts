import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AgentError } from '@parley/protocol'
import { readSkill } from './read-skill.ts'
import type { Skill } from './skill.ts'
import type { SkillUpload } from './upload.ts'

/** In a skill's folder: the name of the version that counts, beside it. */
const CURRENT = 'current'
const MAX_REMEMBERED = 500
const VERSION = /^[0-9a-f-]{36}$/
/** How long a version that was replaced stays: somebody may be reading it. */
const REPLACED_MS = 60_000

/**
 * Skills that were uploaded to one session. They lie outside its workspace, so that an agent cannot rewrite what it will
 * be told:
 *
 *   <root>/<session_id>/<org>/<name>/current            names one of the versions
 *   <root>/<session_id>/<org>/<name>/<version>/SKILL.md
 *
 * A new version is written in full before `current` is replaced, and the old one goes later, with another upload: so
 * that a reader sees the old one or the new one, whole.
 */
export class SessionSkills {
  readonly #root: string
  readonly #onWarning: (message: string) => void
  /** By the folder of a version, which never changes. */
  readonly #read = new Map<string, Skill>()

  constructor(root: string, onWarning: (message: string) => void) {
    this.#root = root
    this.#onWarning = onWarning
  }

  async list(session_id: string): Promise<Skill[]> {
    const home = this.#home(session_id)
    const skills: Skill[] = []
    for (const org of await names(home))
      for (const name of await names(join(home, org))) {
        const skill = await this.#skill(join(home, org, name), `${org}/${name}`)
        if (skill) skills.push(skill)
      }
    return skills
  }

  /** The upload must have been checked. Returns whether it took the place of another. */
  async put(session_id: string, { name, files }: SkillUpload): Promise<{ overwritten: boolean }> {
    const folder = join(this.#home(session_id), name)
    const version = randomUUID()
    try {
      await writeAll(join(folder, version), files)
      const before = await currentOf(folder)
      await writeFile(join(folder, `${version}.next`), version, { flush: true })
      await rename(join(folder, `${version}.next`), join(folder, CURRENT))
      if (before !== undefined) await this.#sweep(folder, before)
      return { overwritten: before !== undefined }
    } catch (error) {
      for (const name of [version, `${version}.next`]) await rm(join(folder, name), { recursive: true, force: true })
      throw error
    }
  }

  async remove(session_id: string): Promise<void> {
    await this.#forget(this.#home(session_id))
  }

  #home(session_id: string): string {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(session_id))
      throw new AgentError('session_not_found', 'There is no such session.')
    return join(this.#root, session_id)
  }

  async #skill(folder: string, id: string): Promise<Skill | undefined> {
    const version = await currentOf(folder)
    if (version === undefined) return undefined
    const directory = join(folder, version)
    const known = this.#read.get(directory)
    if (known) return known
    try {
      const skill = await readSkill({ id, source: 'session', directory })
      this.#remember(directory, skill)
      return skill
    } catch (error) {
      this.#onWarning(`The skill ${join(directory, 'SKILL.md')} is left out: ${(error as Error).message}`)
      return undefined
    }
  }

  #remember(directory: string, skill: Skill): void {
    const [oldest] = this.#read.keys()
    if (this.#read.size >= MAX_REMEMBERED && oldest !== undefined) this.#read.delete(oldest)
    this.#read.set(directory, skill)
  }

  async #sweep(folder: string, replaced: string): Promise<void> {
    const now = Date.now()
    // Another upload may have swept it already.
    await utimes(join(folder, replaced), now / 1_000, now / 1_000).catch(() => undefined)
    const current = await currentOf(folder)
    for (const version of (await names(folder)).filter((name) => VERSION.test(name) && name !== current)) {
      const stats = await stat(join(folder, version)).catch(() => undefined)
      if (stats && now - stats.mtimeMs > REPLACED_MS) await this.#forget(join(folder, version))
    }
  }

  async #forget(directory: string): Promise<void> {
    for (const known of this.#read.keys())
      if (known === directory || known.startsWith(`${directory}/`)) this.#read.delete(known)
    await rm(directory, { recursive: true, force: true })
  }
}

async function writeAll(directory: string, files: SkillUpload['files']): Promise<void> {
  for (const { path, content } of files) {
    const target = join(directory, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await writeFile(target, content, { flag: 'wx' })
  }
}

async function currentOf(folder: string): Promise<string | undefined> {
  const version = await readFile(join(folder, CURRENT), 'utf8').catch(() => '')
  return VERSION.test(version) ? version : undefined
}

async function names(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => /^[a-z0-9-]+$/.test(name)).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
