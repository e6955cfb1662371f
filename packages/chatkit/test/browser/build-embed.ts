/** The embed script as `embed.config.mjs` builds it, in the place where servers look for it. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const folder = join(import.meta.dirname, '../..')
const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js')

/** Returns the path of the file. */
export async function buildEmbed(): Promise<string> {
  const { NODE_ENV: _, ...env } = process.env
  await promisify(execFile)(process.execPath, [vite, 'build', '--config', join(folder, 'embed.config.mjs')], { env })
  return join(folder, 'bundle/embed.js')
}
