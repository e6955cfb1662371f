import { z } from 'zod'
import { defineTool, type ToolDefinition } from '../tools/define-tool.ts'
import { safeToolName } from '../tools/safe-tool-name.ts'
import { resolveLinks } from './links.ts'
import { placeFiles } from './place-files.ts'
import type { Skill } from './skill.ts'

export function skillToolName(id: string): string {
  return safeToolName('skill', ...id.split('/'))
}

/** A skill as a tool: its result is the skill's text and where its files are. `current` knows what the session has now. */
export function skillTool(
  { id, display_name, description }: Skill,
  current: () => Promise<readonly Skill[]>,
  aboutTools: (skill: Skill) => Promise<string>,
): ToolDefinition {
  return defineTool({
    name: skillToolName(id),
    display_name,
    description: `${description}\n\nThis is a skill: call it to read its instructions before you do such work.`,
    provider: 'skill',
    risk: 'low',
    readOnly: true,
    replay: 'safe',
    input: z.object({}),
    async run(_input, { workspace, signal }) {
      const skills = await current()
      const skill = skills.find((each) => each.id === id)
      if (!skill) throw new Error(`The skill ${id} is no longer installed.`)
      const files = await placeFiles(skill, workspace, signal)
      return `${resolveLinks(skill, skills, skillToolName)}\n\n${aboutFiles(files)}${await aboutTools(skill)}`
    },
  })
}

function aboutFiles(files: readonly string[]): string {
  const list = files.map((path) => `- ${path}`).join('\n')
  return `---\nFiles of this skill, as paths in the workspace (run its scripts from there):\n${list}`
}
