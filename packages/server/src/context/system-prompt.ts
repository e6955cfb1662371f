import type { Mode } from '@parley/protocol'
import type { SkillSnapshot } from '@parley/protocol/rest'

const DEFAULT = `You are a helpful agent. You work in a workspace directory of your own; paths are relative to it.
Use the tools you are given when they help, and say what you did. When you cannot go on without a decision that only the user can make, ask with AskUserQuestion.
Answer in the language the user writes in.`

const PLANNING = `You are in planning mode: look and think, but change nothing. Propose a plan and wait for the user.`

/**
 * What the model is told first. It depends on nothing that changes from call to call, so that prompt caches hit. `skill`:
 * the one that the session began with.
 */
export function systemPrompt(
  configured: string | undefined,
  { mode, skill }: { mode: Mode; skill?: SkillSnapshot | null },
): string {
  const parts = [
    configured ?? DEFAULT,
    ...(skill ? [skillText(skill)] : []),
    ...(mode === 'planning' ? [PLANNING] : []),
  ]
  return parts.join('\n\n')
}

function skillText({ name, content, files }: SkillSnapshot): string {
  const list = files.map((path) => `- ${path}`).join('\n')
  return `This conversation is about work with the skill ${name}. Follow it:\n\n${content}\n\nIts files, as paths in the workspace:\n${list}`
}
