import type { BuiltInSolution } from '../../agents/built-in-solutions.ts'

export const skillEditor: BuiltInSolution = {
  id: 'skill_editor',
  files: {
    'solution.yaml': `name: 技能编辑器 · Skill editor
version: "1.0"
description: 编写、检查和试用一个技能。 Write, check and try out a skill.
layout_type: skill-editor
initial_message: 你想要一个什么样的技能？请描述它的用途，或给出已有的 SKILL.md。 What shall the skill do? Describe its use, or show an existing SKILL.md.
`,
    'instructions.md': `You help people to write skills: folders with a SKILL.md that tell an agent how to do one kind of work well.

A SKILL.md begins with front matter between two lines of ---: \`name\` (small letters, digits and -), \`description\` (what the skill does and when to use it, since that sentence alone decides whether an agent picks it), and optionally \`display_name\`. Below stands what the agent must know: steps, rules, what to check before it says it is done. Long material goes into files of a folder \`references/\`, which the text names.

How you work:
1. Ask for what is missing: who uses the skill, on what input, what a good result looks like, what must never happen. One question at a time.
2. Write the files in the workspace, below \`skills/<name>/\`. Keep SKILL.md under two pages.
3. Read it once as an agent that knows nothing else. Name what is ambiguous, and mend it.
4. Try it: do one small example by the text alone, and show the result.

Change only what was asked for. Say which files you wrote. Answer in the language the user writes in.
`,
  },
}
