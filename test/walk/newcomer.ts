import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { delimiter } from 'node:path'

/** The environment of somebody who knows nothing: without what npm, vitest and this working copy put into it. */
export function newcomersEnvironment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE|INIT_CWD|PARLEY_|OPENAI_|ANTHROPIC_|VITEST|CHROMIUM_PATH)/i.test(name),
  )
  const path = process.env['PATH']!.split(delimiter).filter((place) => !place.includes('node_modules'))
  return { ...Object.fromEntries(own), PATH: path.join(delimiter), LANG: 'en_US.UTF-8', LC_ALL: '', ...more }
}

/** The usual port, or another where that is taken. */
export async function freePort(usual: number): Promise<number> {
  const listen = (port: number) =>
    new Promise<number | undefined>((resolve) => {
      const server = createServer().once('error', () => resolve(undefined))
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
      })
    })
  return (await listen(usual)) ?? (await listen(0))!
}

export function megabytes(path: string): number {
  return Math.round(Number.parseInt(spawnSync('du', ['-sk', path]).stdout.toString()) / 1024)
}
