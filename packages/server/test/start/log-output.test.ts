import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { environment, json, MAIN, newHome } from './home.ts'

test('a log that cannot be written costs its lines and nothing else', async () => {
  await using home = await newHome()
  const full = openSync('/dev/full', 'w')
  await using server = startInto(home.path, full)
  closeSync(full)
  await server.serves()
  expect(await server.stop()).toBe(0)
})

test('a log that nobody reads holds up neither the server nor its end', async () => {
  await using home = await newHome()
  using pipe = fullPipe(join(home.path, 'log'))
  await using server = startInto(home.path, pipe.end)
  await server.serves()
  expect(await server.stop()).toBe(0)
})

test('a log that is read again goes on, and lines that waited are not lost', async () => {
  await using home = await newHome()
  using pipe = fullPipe(join(home.path, 'log'))
  await using server = startInto(home.path, pipe.end)
  await server.serves()
  await vi.waitFor(() => expect(pipe.read()).toContain('listening on'), 45_000)
})

test('a reader that hung up ends nothing', async () => {
  await using home = await newHome()
  await using server = startInto(home.path, 'pipe')
  server.hangUp()
  await server.serves()
  expect(await server.stop()).toBe(0)
})

test('an error that cannot be said still has its exit code', async () => {
  await using home = await newHome({ 'parley.config.json': '{ "port": "many" }' })
  const full = openSync('/dev/full', 'w')
  await using server = startInto(home.path, full, { PARLEY_PORT: 'many' })
  closeSync(full)
  expect(await server.exited).toBe(2)
})

/** The server with both of its outputs going there. */
function startInto(home: string, output: number | 'pipe', env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN], {
    cwd: home,
    env: { ...process.env, ...environment(home), ...env },
    stdio: ['ignore', output, output],
  })
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  return {
    exited,
    /** Resolves once it answers; the log cannot tell. */
    serves: () =>
      vi.waitFor(async () => {
        const { url } = JSON.parse(await readFile(join(home, 'data/server.json'), 'utf8')) as { url?: string }
        expect(await json(`${url}/api/health`)).toEqual({ status: 'ok' })
      }, 15_000),
    hangUp() {
      child.stdout!.destroy()
      child.stderr!.destroy()
    },
    stop() {
      child.kill('SIGTERM')
      return exited
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** A pipe with no room left; `end` is where a program would write. */
function fullPipe(path: string): Disposable & { end: number; read: () => string } {
  expect(spawnSync('mkfifo', [path]).status).toBe(0)
  const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  // A description of its own: a program's output is normally a blocking one.
  const end = openSync(path, constants.O_WRONLY)
  for (const size of [65_536, 1]) while (isWritten(both, Buffer.alloc(size, '-'))) continue
  let text = ''
  return {
    end,
    read() {
      const bytes = Buffer.alloc(65_536)
      try {
        for (;;) text += bytes.toString('utf8', 0, readSync(both, bytes))
      } catch {
        return text // nothing more for now
      }
    },
    [Symbol.dispose]() {
      closeSync(end)
      closeSync(both)
    },
  }
}

function isWritten(fd: number, bytes: Buffer): boolean {
  try {
    return writeSync(fd, bytes) > 0
  } catch {
    return false
  }
}
