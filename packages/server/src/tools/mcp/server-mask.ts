import { secretMask } from '../../context/compaction/mask-secrets.ts'
import type { McpServerConfig } from './config.ts'

/** How variables, headers, parameters and options are called whose value nobody else may learn. */
const SECRET_OPTION = /key|token|secret|pass|pwd|credential|auth|cookie/i

/** Takes every value out of a text that a server was configured with and may be a secret, and what looks like a key. */
export async function serverMask(config: McpServerConfig, known: readonly string[]): Promise<(text: string) => string> {
  const mask = await secretMask([...known, ...secretsOf(config)])
  return (text) =>
    mask(text)
      .replaceAll(/\b(Bearer|Basic)\s+\S+/gi, '$1 [secret]')
      .replaceAll(/\b(?:sk|gsk|xai|pk|ghp|glpat)[-_][\w*.-]{6,}/g, '[secret]')
}

function secretsOf(config: McpServerConfig): string[] {
  if (config.type === 'stdio') return [...Object.values(config.env), ...config.args.flatMap(secretArgument)]
  const { username, password, searchParams } = new URL(config.url)
  const headers = Object.values(config.headers).flatMap((value) => [value, ...value.split(/\s+/)])
  return [...headers, username, password, ...searchParams.values()]
}

/** `--token=abc`, and `abc` after `--token`. */
function secretArgument(argument: string, at: number, all: readonly string[]): string[] {
  const [option, ...value] = argument.split('=')
  if (value.length > 0) return SECRET_OPTION.test(option!) ? [value.join('=')] : []
  const before = all[at - 1]
  return before?.startsWith('-') && SECRET_OPTION.test(before) ? [argument] : []
}
