import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { eventually, Rig } from './rig.ts'

const require = createRequire(import.meta.url)
const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
const stdio = { command: process.execPath, args: [everything, 'stdio'] }

describe('server-everything over stdio', () => {
  test('its tools are offered and answer', async () => {
    await using rig = await Rig.open({ everything: stdio })
    expect(rig.names()).toContain('mcp__everything__echo')
    expect(await rig.call('mcp__everything__echo', { message: 'hi' })).toEqual({ result: 'Echo: hi' })
    expect(await rig.call('mcp__everything__get-structured-content', { location: 'Chicago' })).toEqual({
      result: { temperature: expect.any(Number), conditions: expect.any(String), humidity: expect.any(Number) },
    })
  })

  test('a picture becomes a file of the workspace', async () => {
    await using rig = await Rig.open({ everything: stdio })
    const { result } = await rig.call('mcp__everything__get-tiny-image')
    const { content } = result as { content: { type: string; file_path: string; media_type: string }[] }
    const image = content.find(({ type }) => type === 'image')
    expect(image).toMatchObject({ media_type: 'image/png', file_path: expect.stringMatching(/^\.mcp\/.+\.png$/) })
    const bytes = await readFile(join(rig.directory, image!.file_path))
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
  })

  test('progress of a long operation is shown', async () => {
    await using rig = await Rig.open({ everything: stdio })
    await rig.call('mcp__everything__trigger-long-running-operation', { duration: 1.2, steps: 3 })
    // The last report may come together with the answer, and is then of no use.
    expect(rig.notifications.slice(0, 2)).toEqual([
      {
        notification_type: 'tool:progress',
        title: 'Trigger Long Running Operation Tool',
        detail: '1 / 3',
        status: 'info',
      },
      {
        notification_type: 'tool:progress',
        title: 'Trigger Long Running Operation Tool',
        detail: '2 / 3',
        status: 'info',
      },
    ])
  })

  test('killed in the middle of a call, it costs that call and is there again after a moment', async () => {
    await using rig = await Rig.open({ everything: stdio })
    const call = rig.call('mcp__everything__trigger-long-running-operation', { duration: 30, steps: 100 })
    await eventually(() => rig.notifications.length > 0)
    process.kill(rig.servers.pidOf('everything')!, 'SIGKILL')
    await expect(call).rejects.toThrow(/"everything" ended while trigger-long-running-operation was running/)
    expect(rig.names()).toEqual([])
    expect((await rig.servers.listed())[0]).toMatchObject({ status: 'down' })
    await eventually(() => rig.names().includes('mcp__everything__echo'))
    expect(await rig.call('mcp__everything__echo', { message: 'again' })).toEqual({ result: 'Echo: again' })
  })
})

describe('server-everything over streamable HTTP', () => {
  test('its tools answer, report progress and are stopped', async () => {
    await using server = await startHttp()
    await using rig = await Rig.open({ remote: { type: 'http', url: server.url } })
    expect(await rig.call('mcp__remote__echo', { message: 'hi' })).toEqual({ result: 'Echo: hi' })

    const stop = new AbortController()
    const operation = { duration: 60, steps: 200 }
    const call = rig.call('mcp__remote__trigger-long-running-operation', operation, stop.signal)
    await eventually(() => rig.notifications.length > 0)
    const since = performance.now()
    stop.abort()
    await expect(call).rejects.toThrow(/abort/i)
    expect(performance.now() - since).toBeLessThan(2000)
  })

  test('killed in the middle of a call, it costs that call and is reached again when it is back', async () => {
    await using first = await startHttp()
    await using rig = await Rig.open({ remote: { url: first.url } })
    const call = rig.call('mcp__remote__trigger-long-running-operation', { duration: 60, steps: 200 })
    const failed = expect(call).rejects.toThrow(/"remote"/)
    await eventually(() => rig.notifications.length > 0)
    await first[Symbol.asyncDispose]()
    await failed
    await eventually(() => rig.names().length === 0)
    await using _second = await startHttp(first.port)
    await eventually(() => rig.names().includes('mcp__remote__echo'), 15_000)
    expect(await rig.call('mcp__remote__echo', { message: 'again' })).toEqual({ result: 'Echo: again' })
  })

  test('connections go through the fetch that was given, with the configured headers', async () => {
    await using server = await startHttp()
    const seen: (string | null)[] = []
    const watched: typeof fetch = async (input, init) => {
      seen.push(new Headers(init?.headers).get('x-team'))
      return fetch(input, init)
    }
    await using rig = await Rig.open(
      { remote: { url: server.url, headers: { 'x-team': 'red' } } },
      { fetchFor: () => watched },
    )
    await rig.call('mcp__remote__echo', { message: 'hi' })
    expect(seen.length).toBeGreaterThan(2)
    expect(new Set(seen)).toEqual(new Set(['red']))
  })
})

describe('server-filesystem over stdio', () => {
  test('it reads what it may, and refuses the rest as an error result', async () => {
    await using rig = await Rig.open({})
    const folder = await realpath(rig.directory)
    await writeFile(join(folder, 'note.txt'), 'buy milk')
    await using files = await Rig.open({ files: { command: process.execPath, args: [filesystem, folder] } })
    const read = await files.call('mcp__files__read_text_file', { path: join(folder, 'note.txt') })
    expect(JSON.stringify(read)).toContain('buy milk')
    expect(read.isError).toBeUndefined()
    const refused = await files.call('mcp__files__read_text_file', { path: '/etc/hostname' })
    expect(refused).toMatchObject({ isError: true })
    expect(JSON.stringify(refused.result)).toMatch(/outside allowed directories/)
  })

  test('what its tools say of themselves decides risk, replay and whether they are read-only', async () => {
    await using rig = await Rig.open({})
    await using files = await Rig.open({ files: { command: process.execPath, args: [filesystem, rig.directory] } })
    const byName = new Map(files.servers.tools().map((tool) => [tool.name, tool]))
    expect(byName.get('mcp__files__read_text_file')).toMatchObject({ readOnly: true, replay: 'safe', risk: 'low' })
    expect(byName.get('mcp__files__write_file')).toMatchObject({ readOnly: false, replay: 'never', risk: 'high' })
  })
})

type HttpServer = AsyncDisposable & { url: string; port: number }

async function startHttp(port?: number): Promise<HttpServer> {
  const chosen = port ?? (await freePort())
  const child = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { ...process.env, PORT: String(chosen) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await said(child, /listening on port/)
  return {
    url: `http://127.0.0.1:${chosen}/mcp`,
    port: chosen,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    },
  }
}

async function said(child: ChildProcess, words: RegExp): Promise<void> {
  for await (const line of createInterface({ input: child.stderr!, signal: AbortSignal.timeout(15_000) }))
    if (words.test(line)) return
  throw new Error(`The server never said ${words}.`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
