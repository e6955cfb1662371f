import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readSkill } from './read-skill.ts'
import type { Skill } from './skill.ts'

const FOLDER_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/

type Seen = { mark: string; skill: Skill | undefined }

/**
 * The skills of the configured directories: each is one itself, or holds them as `name/` or `org/name/`. A skill that
 * cannot be read is left out with one warning, until its file changes.
 */
export class SkillFolders {
  readonly #directories: readonly string[]
  readonly #onWarning: (message: string) => void
  readonly #source: Skill['source']
  readonly #warned = new Set<string>()
  #seen = new Map<string, Seen>()

  constructor(
    directories: readonly string[],
    onWarning: (message: string) => void,
    source: Skill['source'] = 'global',
  ) {
    this.#directories = directories
    this.#onWarning = onWarning
    this.#source = source
  }

  async list(): Promise<Skill[]> {
    const seen = new Map<string, Seen>()
    const skills = new Map<string, Skill>()
    for (const { id, directory } of await this.#candidates()) {
      const found = await this.#read(id, directory)
      if (!found) continue
      seen.set(directory, found)
      // The directory that is named first goes before the others.
      if (found.skill && !skills.has(id)) skills.set(id, found.skill)
    }
    this.#seen = seen
    return [...skills.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  async #candidates(): Promise<{ id: string; directory: string }[]> {
    const found: { id: string; directory: string }[] = []
    for (const root of this.#directories) {
      const entries = await this.#entries(root)
      if (entries.some(({ name }) => name === 'SKILL.md')) {
        found.push({ id: basename(root), directory: root })
        continue
      }
      for (const { name } of entries.filter(isFolder)) {
        const below = await this.#entries(join(root, name))
        if (below.some((entry) => entry.name === 'SKILL.md')) found.push({ id: name, directory: join(root, name) })
        else
          found.push(
            ...below
              .filter(isFolder)
              .map((entry) => ({ id: `${name}/${entry.name}`, directory: join(root, name, entry.name) })),
          )
      }
    }
    return found
  }

  async #entries(directory: string): Promise<Dirent[]> {
    try {
      const entries = await readdir(directory, { withFileTypes: true })
      for (const { name } of entries.filter((entry) => entry.isSymbolicLink()))
        this.#warnOnce(join(directory, name), `${join(directory, name)} is left out: links to skills are not followed.`)
      return entries
    } catch (error) {
      this.#warnOnce(directory, `The skill directory ${directory} cannot be read: ${(error as Error).message}`)
      return []
    }
  }

  async #read(id: string, directory: string): Promise<Seen | undefined> {
    const file = join(directory, 'SKILL.md')
    const stats = await stat(file).catch(() => undefined)
    if (!stats) return undefined
    const mark = `${stats.mtimeMs}:${stats.size}:${stats.ino}`
    const known = this.#seen.get(directory)
    if (known?.mark === mark) return known
    try {
      return { mark, skill: await readSkill({ id, source: this.#source, directory }) }
    } catch (error) {
      this.#onWarning(`The skill ${file} is left out: ${(error as Error).message}`)
      return { mark, skill: undefined }
    }
  }

  #warnOnce(subject: string, message: string): void {
    if (this.#warned.has(subject)) return
    this.#warned.add(subject)
    this.#onWarning(message)
  }
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory() && FOLDER_NAME.test(entry.name)
}
