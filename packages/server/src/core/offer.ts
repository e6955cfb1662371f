import type { AnswerPart, JsonObject, ToolSpec } from '../ports.ts'
import type { LoopEnv } from './loop-env.ts'
import type { AnnouncedCall } from './loop-events.ts'
import { parseJson, questionIn } from './loop-arguments.ts'
import { type Call, type LoopState, sourceOf } from './loop-state.ts'

export const ASK = 'AskUserQuestion'
export const AGENT = 'Agent'

const text: JsonObject = { type: 'string' }

const ASK_SPEC: ToolSpec = {
  name: ASK,
  description:
    'Ask the user one or more questions and wait for the answer. Use it when you cannot go on without a decision that only the user can make.',
  input: {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            question: text,
            header: text,
            options: {
              type: 'array',
              items: { type: 'object', properties: { label: text, description: text }, required: ['label'] },
            },
            multiSelect: { type: 'boolean' },
          },
          required: ['question', 'options'],
        },
      },
    },
    required: ['questions'],
  },
}

const AGENT_SPEC: ToolSpec = {
  name: AGENT,
  description:
    'Start a sub-agent for a task that stands on its own. It sees nothing of this conversation but the prompt; its final text is the result.',
  input: {
    type: 'object',
    properties: {
      description: { ...text, description: 'The task in one line' },
      prompt: { ...text, description: 'Everything the sub-agent needs to know' },
      tools: {
        type: 'array',
        items: text,
        description: 'Names of the only tools it may use; all of yours if left out',
      },
      model: { ...text, description: 'Id of another model; yours if left out' },
    },
    required: ['description', 'prompt'],
  },
}

/** What the loop itself offers, beside the tools it is given. */
export const LOOP_TOOLS: readonly ToolSpec[] = [ASK_SPEC, AGENT_SPEC]

/** What the model may call, always in the same order, so that provider caches hit. */
export function offeredTools(loop: LoopState, env: LoopEnv): ToolSpec[] {
  const offered = env.tools
    .list()
    .filter(({ name }) => mayUse(loop, name))
    .map(({ name, description, input }) => ({ name, description, input }))
  if (env.asks && env.tools.find(ASK) === undefined) offered.push(ASK_SPEC)
  if (loop.depth < env.maxDepth && mayUse(loop, AGENT)) offered.push(AGENT_SPEC)
  if (env.output && loop.depth === 0) offered.push(env.output.spec)
  return offered
}

function offersAsking(loop: LoopState, { asks, tools }: LoopEnv): boolean {
  return tools.find(ASK) === undefined ? asks : mayUse(loop, ASK)
}

/** A sub-agent that was given a few tools has only those; asking is always one of them. */
export function mayUse({ tools }: LoopState, name: string): boolean {
  return tools === null || tools.includes(name)
}

/** Gives a call of the model its place in the conversation. A question that makes sense waits from the start. */
export async function announce(
  part: ToolCallPart,
  loop: LoopState,
  env: LoopEnv,
): Promise<{ call: Call; announced: AnnouncedCall }> {
  const question = part.name === ASK && offersAsking(loop, env) ? questionOf(part.arguments, loop) : undefined
  const named = { id: env.ids.next('tc'), provider_id: part.id, name: part.name, arguments: question ?? part.arguments }
  return {
    call: {
      ...named,
      state: question ? { type: 'waiting', refs: [] } : { type: 'announced' },
      consent: null,
      child: null,
    },
    announced: {
      ...named,
      display_name: displayName(part.name, env),
      status: question || (await needsConsent(part, env)) ? 'awaiting_answer' : 'pending',
    },
  }
}

/** One that will wait for a person says so from the start; the question follows when its turn comes. */
export async function needsConsent(
  { name, arguments: text }: Pick<ToolCallPart, 'name' | 'arguments'>,
  { tools, headless }: LoopEnv,
): Promise<boolean> {
  const tool = tools.find(name)
  const input = tool && parseJson(text)
  const checked = input === undefined ? undefined : await tool?.check(input)
  return !headless && tool !== undefined && checked?.ok === true && tools.judge(tool, checked.value).type === 'ask'
}

type ToolCallPart = AnswerPart & { type: 'tool_call' }

function questionOf(text: string, loop: LoopState): string | undefined {
  const question = questionIn(text, sourceOf(loop))
  return question && JSON.stringify(question)
}

function displayName(name: string, env: LoopEnv): string {
  if (name === ASK) return env.texts.askDisplayName
  if (name === AGENT) return env.texts.agentDisplayName
  if (name === env.output?.spec.name) return env.texts.submitDisplayName
  return env.tools.find(name)?.displayName ?? (name || 'unknown')
}
