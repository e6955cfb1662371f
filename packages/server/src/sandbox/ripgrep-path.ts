import { realpath } from 'node:fs/promises'

/** The program that searches. Loaded when first needed: where there is none for the platform, only searching fails. */
export async function ripgrepPath(): Promise<string> {
  const { rgPath } = await import('@vscode/ripgrep')
  return realpath(rgPath)
}
