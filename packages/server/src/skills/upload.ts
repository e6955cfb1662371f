import { AgentError } from '@parley/protocol'
import { z } from 'zod'
import { parseSkill } from './front-matter.ts'
import { SkillError } from './skill.ts'
import { pathProblem } from './skill-path.ts'

const MAX_FILES = 200
const MAX_FILE_BYTES = 1024 * 1024
const MAX_TOTAL_BYTES = 5 * 1024 * 1024

/** Body of `POST …/skills:upload`. */
export const skillUploadSchema = z.object({
  name: z
    .string()
    .max(100)
    .regex(/^[a-z0-9-]+\/[a-z0-9-]+$/, 'must look like org/skill-name: small letters, digits and -'),
  files: z
    .array(z.object({ path: z.string(), content: z.string() }))
    .min(1)
    .max(MAX_FILES),
})
export type SkillUpload = z.output<typeof skillUploadSchema>

/** Throws when a path could leave the skill's folder, when something is too large or when `SKILL.md` is not one. */
export async function checkUpload({ files }: SkillUpload): Promise<void> {
  for (const { path } of files) {
    const problem = pathProblem(path)
    if (problem) throw new AgentError('invalid_path', `The path ${JSON.stringify(path).slice(0, 120)} ${problem}.`)
  }
  checkNames(files.map(({ path }) => path))
  checkSizes(files)
  const skill = files.find(({ path }) => path === 'SKILL.md')
  if (!skill) throw new AgentError('invalid_payload', 'files must contain SKILL.md.')
  try {
    await parseSkill(skill.content)
  } catch (error) {
    if (error instanceof SkillError) throw new AgentError('invalid_payload', error.message, { cause: error })
    throw error
  }
}

/** On some disks `A` and `a` are one file; and no file can be a folder too. */
function checkNames(paths: readonly string[]): void {
  const seen = new Set<string>()
  for (const path of paths.map((each) => each.normalize('NFC').toLowerCase())) {
    if (seen.has(path)) throw new AgentError('invalid_path', `${path} is there twice.`)
    seen.add(path)
  }
  for (const path of seen) {
    const parts = path.split('/')
    const folder = parts.map((_, index) => parts.slice(0, index).join('/')).find((above) => seen.has(above))
    if (folder !== undefined) throw new AgentError('invalid_path', `${folder} is a file and a folder.`)
  }
}

function checkSizes(files: SkillUpload['files']): void {
  let total = 0
  for (const { path, content } of files) {
    const bytes = Buffer.byteLength(content)
    total += bytes
    if (bytes > MAX_FILE_BYTES)
      throw new AgentError('payload_too_large', `${path} is larger than ${MAX_FILE_BYTES} bytes.`)
  }
  if (total > MAX_TOTAL_BYTES)
    throw new AgentError('payload_too_large', `The skill is larger than ${MAX_TOTAL_BYTES} bytes.`)
}
