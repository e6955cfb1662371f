import { z } from 'zod'
import { type Skill, SkillError } from './skill.ts'

/** Of `SKILL.md`; more would fill a model's context. */
export const MAX_SKILL_CHARACTERS = 256 * 1024
const MAX_FRONT_MATTER = 16 * 1024

const text = (max: number) => z.string().trim().min(1, 'must not be empty').max(max)

const frontMatterSchema = z.object({
  name: text(200),
  description: text(4000).nullish(),
  display_name: z.union([text(200), z.object({ zh: text(200), en: text(200) })]).optional(),
  version: z.union([z.string(), z.number()]).transform(String).optional(),
})

/** Reads a `SKILL.md`: YAML between two lines of `---`, then the text. Throws a `SkillError` that says what is wrong. */
export async function parseSkill(
  content: string,
): Promise<Pick<Skill, 'name' | 'display_name' | 'description' | 'version' | 'body'>> {
  if (content.length > MAX_SKILL_CHARACTERS)
    throw new SkillError(`SKILL.md is longer than ${MAX_SKILL_CHARACTERS} characters.`)
  const match = /^\uFEFF?---[ \t]*\r?\n(?<yaml>[\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(content)
  if (!match) throw new SkillError('SKILL.md must start with front matter: YAML between two lines of ---.')
  const { name, description, display_name = name, version } = await readFrontMatter(match.groups!['yaml']!)
  return {
    name,
    // The origin's own examples leave it out.
    description: description ?? name,
    display_name: typeof display_name === 'string' ? { zh: display_name, en: display_name } : display_name,
    version: version ?? null,
    body: content.slice(match[0].length).trim(),
  }
}

async function readFrontMatter(yaml: string): Promise<z.output<typeof frontMatterSchema>> {
  if (yaml.length > MAX_FRONT_MATTER)
    throw new SkillError(`The front matter of SKILL.md is longer than ${MAX_FRONT_MATTER} characters.`)
  const parsed = frontMatterSchema.safeParse(await parseYaml(yaml))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`)
  throw new SkillError(`The front matter of SKILL.md does not fit. ${problems.join('; ')}`)
}

async function parseYaml(yaml: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    // Aliases could make gigabytes of a few lines. (At `silent` the parser would keep its errors to itself.)
    return parse(yaml, { maxAliasCount: 0, logLevel: 'error' })
  } catch (error) {
    throw new SkillError(`The front matter of SKILL.md is not YAML: ${(error as Error).message.split('\n')[0]}`, {
      cause: error,
    })
  }
}
