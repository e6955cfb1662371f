import { existsSync } from 'node:fs'
import { join } from 'node:path'

const NAME = 'parley.config.'
const READ = ['ts', 'js', 'json']
/** Whoever writes one of these believes that it counts. */
const MEANT = [...READ, 'mts', 'cts', 'mjs', 'cjs', 'jsonc', 'json5', 'yaml', 'yml', 'toml']

/** The configuration file of a directory: the first there is. */
export function configFileIn(directory: string): string | undefined {
  return foundIn(directory, READ)[0]
}

/** A sentence for each file of a directory that looks like the configuration and is not read. `variable`: what may name another. */
export function unreadFiles(directory: string, variable: string): string[] {
  const read = configFileIn(directory)
  return foundIn(directory, MEANT)
    .filter((file) => file !== read)
    .map((file) =>
      read
        ? `${file} is not read: the configuration is ${read}.`
        : `${file} is not read: a configuration file is called ${NAME}ts, .js or .json, unless ${variable} names another.`,
    )
}

function foundIn(directory: string, endings: readonly string[]): string[] {
  return endings.map((ending) => join(directory, NAME + ending)).filter((path) => existsSync(path))
}
