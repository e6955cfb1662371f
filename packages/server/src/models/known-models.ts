/** What is known of a model by its id. */
export type ModelFacts = { contextWindow: number; supportsVision: boolean; supportsThinking: boolean }

const UNKNOWN: ModelFacts = { contextWindow: 0, supportsVision: false, supportsThinking: false }

/** The facts of the longest prefix that fits. A vendor's path in front (`deepseek/deepseek-chat`) does not matter. */
export function factsOf(modelId: string): ModelFacts {
  const id = modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase()
  const known = TABLE.filter(([prefix]) => id.startsWith(prefix)).toSorted(([a], [b]) => b.length - a.length)[0]
  if (!known) return UNKNOWN
  const [, contextWindow, abilities] = known
  return {
    contextWindow,
    supportsVision: abilities.includes('vision'),
    supportsThinking: abilities.includes('thinking'),
  }
}

const TABLE: readonly (readonly [prefix: string, contextWindow: number, abilities: string])[] = [
  ['claude-', 200_000, 'vision, thinking'],
  ['claude-3', 200_000, 'vision'],
  ['claude-3-7', 200_000, 'vision, thinking'],
  ['gpt-3.5', 16_385, ''],
  ['gpt-4', 8_192, ''],
  ['gpt-4-turbo', 128_000, 'vision'],
  ['gpt-4o', 128_000, 'vision'],
  ['gpt-4.1', 1_047_576, 'vision'],
  ['gpt-5', 400_000, 'vision, thinking'],
  ['gpt-5-chat', 128_000, 'vision'],
  ['gpt-6', 400_000, 'vision, thinking'],
  ['gpt-oss', 131_072, 'thinking'],
  ['o1', 200_000, 'vision, thinking'],
  ['o3', 200_000, 'vision, thinking'],
  ['o4', 200_000, 'vision, thinking'],
  ['gemini-', 1_048_576, 'vision, thinking'],
  ['gemma', 131_072, 'vision'],
  ['deepseek-chat', 131_072, ''],
  ['deepseek-reasoner', 131_072, 'thinking'],
  ['deepseek', 131_072, 'thinking'],
  ['qwen', 131_072, ''],
  ['qwen3', 131_072, 'thinking'],
  ['qwen3-vl', 262_144, 'vision, thinking'],
  ['qwen-vl', 131_072, 'vision'],
  ['qwq', 131_072, 'thinking'],
  ['kimi', 262_144, 'thinking'],
  ['moonshot', 131_072, ''],
  ['glm-4', 131_072, 'thinking'],
  ['glm-5', 200_000, 'thinking'],
  ['minimax', 204_800, 'thinking'],
  ['grok', 131_072, 'thinking'],
  ['grok-4', 256_000, 'vision, thinking'],
  ['mistral', 131_072, ''],
  ['magistral', 131_072, 'thinking'],
  ['llama-3', 131_072, ''],
  ['llama3', 131_072, ''],
  ['llama-4', 1_048_576, 'vision'],
]
