import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const folder = join(import.meta.dirname, 'rivals')
const DEADLINE_MS = 300_000

/** What the kit is compared with is no dependency of ours: it is fetched at the first run. Gives versions by name. */
export async function installRivals(): Promise<Record<string, string>> {
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  if (!(await areInstalled(dependencies))) {
    console.log('Installing the rivals …')
    const quiet = ['--no-audit', '--no-fund', '--omit=dev', '--no-package-lock', '--ignore-scripts']
    await promisify(execFile)('npm', ['install', ...quiet], { cwd: folder, timeout: DEADLINE_MS }).catch((cause) => {
      throw new Error(`The rivals could not be installed. Try \`npm install\` in ${folder}.`, { cause })
    })
  }
  return dependencies
}

async function areInstalled(dependencies: Record<string, string>): Promise<boolean> {
  const matches = await Promise.all(
    Object.entries(dependencies).map(async ([name, version]) => {
      const file = join(folder, 'node_modules', name, 'package.json')
      return existsSync(file) && (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version === version
    }),
  )
  return matches.every(Boolean)
}
