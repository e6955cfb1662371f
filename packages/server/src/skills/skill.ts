import type { SkillSummary } from '@parley/protocol'

/** A `SKILL.md` and the files beside it. */
export type Skill = {
  /** `name` or `org/name`, after its folders. */
  id: string
  name: string
  display_name: { zh: string; en: string }
  description: string
  version: string | null
  source: SkillSummary['source']
  /** What follows the front matter. */
  body: string
  /** Where its files are now; never told to anybody. */
  directory: string
}

/** Something is wrong with a skill; the message is a sentence about it. */
export class SkillError extends Error {
  override readonly name = 'SkillError'
}

export function summaryOf(
  { id, name, display_name, description, source, version }: Skill,
  language: 'zh' | 'en',
): SkillSummary {
  return { id, name, display_name: display_name[language], description, source, version }
}

/** Where an agent finds the files of a skill, relative to its workspace. */
export function workspaceFolder(id: string): string {
  return `.skills/${id}`
}
