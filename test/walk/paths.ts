import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

const BROWSERS = ['chromium', 'chromium-browser', 'chrome', 'google-chrome', 'google-chrome-stable']

/** A PATH on which every browser is found first in an edition that fails; `log` gets a line when one is started. */
export async function withBrokenBrowsers(path: string, directory: string, log: string): Promise<string> {
  await mkdir(directory)
  for (const name of BROWSERS) {
    await writeFile(join(directory, name), `#!/bin/sh\necho "${name} $*" >> '${log}'\nexit 1\n`)
    await chmod(join(directory, name), 0o755)
  }
  return directory + delimiter + path
}

/** The same PATH as a machine would have it that has no browser. */
export async function withoutBrowsers(path: string, directory: string): Promise<string> {
  await mkdir(directory)
  const places = [...new Set(path.split(delimiter))].map(async (place, at) => {
    const names = await readdir(place).catch(() => [])
    if (!names.some((name) => BROWSERS.includes(name))) return place
    const copy = join(directory, String(at))
    await mkdir(copy)
    for (const name of names) if (!BROWSERS.includes(name)) await symlink(join(place, name), join(copy, name))
    return copy
  })
  return (await Promise.all(places)).join(delimiter)
}
