import type { FailureKind } from '../ports.ts'
import type { ModelConfig } from './model-config.ts'

/** Usual names of the keys that hosted providers need. */
const KEYS = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  'openai-compatible': undefined,
  demo: undefined,
}

/** Where the operator should look when a model fails in one of the ways that a wrong configuration makes it fail. */
export function adviceFor(config: ModelConfig): Partial<Record<FailureKind, string>> {
  const { key, url, model } = config.variables ?? namesInFile(config)
  const both = [url, model].filter((name) => name !== undefined)
  return {
    auth: look([key]),
    ...(url !== undefined && { network: look([url]) }),
    ...(both.length > 0 && { invalid: look(both) }),
  }
}

function namesInFile({ id, provider, apiKey, url }: ModelConfig) {
  const inFile = (option: string) => `\`${option}\` of the model ${id} in the configuration`
  return {
    key: (apiKey === undefined ? KEYS[provider] : undefined) ?? inFile('apiKey'),
    ...(url !== undefined && { url: inFile('url') }),
    model: inFile('model'),
  }
}

function look(names: readonly string[]): string {
  return `Look at ${names.join(' and ')}.`
}
