import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MAX_SKILL_CHARACTERS, parseSkill } from './front-matter.ts'
import { type Skill, SkillError } from './skill.ts'
import { pathProblem } from './skill-path.ts'

const MAX_FILES = 500
const MAX_FILE_BYTES = 10 * 1024 * 1024
const MAX_TOTAL_BYTES = 50 * 1024 * 1024
const SKIPPED = new Set(['node_modules', '__pycache__'])

export type SkillFile = { path: string; content: Buffer; isExecutable: boolean }

/** Throws a `SkillError` when `SKILL.md` is not one. The files beside it are not looked at. */
export async function readSkill(where: Pick<Skill, 'id' | 'source' | 'directory'>): Promise<Skill> {
  const { content } = await readPlainFile(join(where.directory, 'SKILL.md'), MAX_SKILL_CHARACTERS * 4)
  return { ...where, ...(await parseSkill(content.toString('utf8'))) }
}

/** Paths of all its files, sorted. Links and hidden files are left out. */
export async function listFiles(directory: string): Promise<string[]> {
  const found: string[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of await readdir(join(directory, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name.startsWith('.') || SKIPPED.has(entry.name) || pathProblem(path)) continue
      if (entry.isDirectory()) folders.push(path)
      if (entry.isFile()) found.push(path)
      if (found.length > MAX_FILES) throw new SkillError(`The skill has more than ${MAX_FILES} files.`)
    }
  return found.sort()
}

/** One file after another, so that a large skill is never in memory as a whole. */
export async function* readFiles(directory: string, paths: readonly string[]): AsyncGenerator<SkillFile> {
  let total = 0
  for (const path of paths) {
    const { content, isExecutable } = await readPlainFile(join(directory, path), MAX_FILE_BYTES)
    total += content.length
    if (total > MAX_TOTAL_BYTES) throw new SkillError(`The skill is larger than ${MAX_TOTAL_BYTES} bytes.`)
    yield { path, content, isExecutable: isExecutable || content.subarray(0, 2).toString() === '#!' }
  }
}

/** Never through a link: what it points to may be somebody's secret. */
async function readPlainFile(path: string, maxBytes: number): Promise<Pick<SkillFile, 'content' | 'isExecutable'>> {
  const file = path.split('/').at(-1)
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = await handle.stat()
    if (!stats.isFile()) throw new SkillError(`${file} is not a file.`)
    if (stats.size > maxBytes) throw new SkillError(`${file} is larger than ${maxBytes} bytes.`)
    return { content: await handle.readFile(), isExecutable: (stats.mode & 0o100) !== 0 }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP')
      throw new SkillError(`${file} is a link; links are not followed.`, { cause: error })
    throw error
  }
}
