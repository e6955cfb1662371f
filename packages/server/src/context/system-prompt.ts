import type { Mode } from '@parley/protocol'

const DEFAULT = `You are a helpful agent. You work in a workspace directory of your own; paths are relative to it.
Use the tools you are given when they help, and say what you did. When you cannot go on without a decision that only the user can make, ask with AskUserQuestion.
Answer in the language the user writes in.`

const PLANNING = `You are in planning mode: look and think, but change nothing. Propose a plan and wait for the user.`

/** What the model is told first. It depends on nothing that changes from call to call, so that prompt caches hit. */
export function systemPrompt(configured: string | undefined, { mode }: { mode: Mode }): string {
  const base = configured ?? DEFAULT
  return mode === 'planning' ? `${base}\n\n${PLANNING}` : base
}
