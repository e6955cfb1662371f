// A package registry on loopback: our own tarballs as if they were published, everything else from the registry that npm
// is configured for. Counts what goes over the line.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

export type Registry = AsyncDisposable & {
  url: string
  /** What was sent since the last time somebody asked. */
  sent: () => Sent
}

export type Sent = { bytes: number; packages: number }

type Answer = { status: number; body: Buffer; isTarball: boolean }

/** Serves the tarballs that lie in `folder` under the names and versions they carry. */
export async function startRegistry(folder?: string): Promise<Registry> {
  const upstream = configuredRegistry()
  let sent: Sent = { bytes: 0, packages: 0 }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const own = folder === undefined ? new Map<string, Answer>() : await publish(folder, url)
  /** Where the tarballs of others lie, by their path here. Nothing else is fetched for anybody. */
  const tarballs = new Map<string, string>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(request.url!.slice(1))
    const found = own.get(path) ?? (await passOn(path, request.headers.accept).catch(unreachable))
    sent.bytes += found.body.length
    if (found.isTarball) sent.packages += 1
    response.writeHead(found.status, {
      'content-type': found.isTarball ? 'application/octet-stream' : 'application/json',
      'content-length': found.body.length,
      ...(!found.isTarball && { 'content-encoding': 'gzip' }),
    })
    response.end(found.body)
  }

  async function passOn(path: string, accept = 'application/json'): Promise<Answer> {
    const tarball = tarballs.get(path)
    const reply = await fetch(tarball ?? upstream + path.replace('/', '%2f'), { headers: { accept } })
    const body = Buffer.from(await reply.arrayBuffer())
    if (tarball !== undefined) return { status: reply.status, body, isTarball: true }
    const text = body.toString().replace(/"tarball":\s*"([^"]+)"/g, (_, there: string) => {
      const here = `others/${new URL(there).pathname.slice(1)}`
      tarballs.set(decodeURIComponent(here), there)
      return `"tarball":"${url}${here}"`
    })
    return { status: reply.status, body: gzipSync(text), isTarball: false }
  }

  return {
    url,
    sent() {
      const soFar = sent
      sent = { bytes: 0, packages: 0 }
      return soFar
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function configuredRegistry(): string {
  const said = execFileSync('npm', ['config', 'get', 'registry'], { stdio: ['ignore', 'pipe', 'ignore'] })
  return said.toString().trim().replace(/\/*$/, '/')
}

async function publish(folder: string, url: string): Promise<Map<string, Answer>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  const answers = files.map(async (file): Promise<[string, Answer][]> => {
    const body = await readFile(join(folder, file))
    const said = execFileSync('tar', ['-xzOf', join(folder, file), 'package/package.json']).toString()
    const manifest = JSON.parse(said) as { name: string; version: string }
    const { name, version } = manifest
    const integrity = `sha512-${createHash('sha512').update(body).digest('base64')}`
    const versions = { [version]: { ...manifest, dist: { integrity, tarball: `${url}own/${file}` } } }
    const packument = gzipSync(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }))
    return [
      [name, { status: 200, body: packument, isTarball: false }],
      [`own/${file}`, { status: 200, body, isTarball: true }],
    ]
  })
  return new Map((await Promise.all(answers)).flat())
}

function unreachable(error: unknown): Answer {
  return { status: 502, body: gzipSync(JSON.stringify({ error: String(error) })), isTarball: false }
}
