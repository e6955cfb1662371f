import { mkdir } from 'node:fs/promises'

export async function makeWorkspace(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return directory
}
