import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { openSandbox } from '../../src/sandbox/open-sandbox.ts'
import { runtimeSandbox } from '../../src/sandbox/runtime-sandbox.ts'
import { LIMITS, SYSTEM_PATH } from '../../src/sandbox/sandbox.ts'
import { isAlive, NOTE, openPlace, type Place, type Ran, SECRET, until } from './rig.ts'

const isInstalled = ['bwrap', 'socat'].every((name) =>
  SYSTEM_PATH.split(':').some((path) => existsSync(join(path, name))),
)
const isRoot = process.getuid?.() === 0
/** Root cannot use it, so nobody does in its place, who must be able to read what it runs. */
const borrowed = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
const worker = join(import.meta.dirname, 'workers/runtime-commands.ts')
const [look, ...at] = [...borrowed, 'test', '-r', worker, '-a', '-x', process.execPath]
const isReadable = spawnSync(look!, at).status === 0

describe.skipIf(!isInstalled || !isReadable)(
  'sandbox-runtime (with bubblewrap, socat, and a checkout that all may read)',
  () => {
    test('a command works in its workspace, with its own variables only', async () => {
      await using place = await openPlace('user')
      const command = 'cat mine.txt; echo new > made.txt; env | cut -d= -f1 | sort | tr "\\n" " "'
      const [ran] = await runAsUser(place, [command])
      expect(ran!.end).toEqual({ by: 'exit', code: 0 })
      expect(ran!.output).toMatch(/^mineGREETING HOME LANG PARLEY_GUARD PATH PWD SHLVL TMPDIR/)
      expect(readFileSync(join(place.workspace, 'made.txt'), 'utf8')).toBe('new\n')
    })

    test('a command can neither remount, nor write outside, nor read what is hidden', async () => {
      await using place = await openPlace('user')
      const { dataDir, theirs } = place
      const name = `parley-escape-${randomUUID()}`
      const targets = ['/', '/etc', '/usr', '/tmp', '/var/tmp', '/dev/shm', dataDir, theirs]
      const [ran] = await runAsUser(place, [
        `mount -o remount,rw /; mount -o remount,bind,rw /etc; for d in ${targets.join(' ')}; do echo x > $d/${name}; done 2>/dev/null;` +
          `cat ${dataDir}/secret.txt ${theirs}/note.txt /etc/shadow; ls -A /root /home; ln -s ${dataDir}/secret.txt l; cat l;` +
          `cat /proc/1/root${dataDir}/secret.txt; v=$(cat /proc/sys/kernel/hostname); echo "$v" > /proc/sys/kernel/hostname && echo wrote; kill -9 1; echo alive`,
      ])
      for (const path of targets) expect(existsSync(join(path, name)), path).toBe(false)
      expect(ran!.output).not.toContain(SECRET)
      expect(ran!.output).not.toContain(NOTE)
      expect(ran!.output).not.toMatch(/root:[x*!$]|wrote/)
      expect(ran!.output).toContain('alive')
    })

    test('a command reaches no network, and leaves no process behind, killed or not', async () => {
      const server = createServer((socket) => socket.end('connected')).listen(0, '127.0.0.1')
      await once(server, 'listening')
      await using place = await openPlace('user')
      const { port } = server.address() as AddressInfo
      const token = `${Math.random()}`.slice(2, 12)
      const left = `(setsid setsid sleep 5${token} &); sleep 6${token} &`
      const [network, ended, killed] = await runAsUser(place, [
        `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`,
        `${left} exit 4`,
        `${left} echo kill me; sleep 7${token}`,
      ])
      server.close()
      expect(network!.output).not.toMatch(/^connected/m)
      expect(ended!.end).toEqual({ by: 'exit', code: 4 })
      expect(killed!.end).toEqual({ by: 'killed' })
      await until(() => !isAlive(token), 1_000, 'all gone')
    })

    test('too many processes and too much memory end a command', async () => {
      await using place = await openPlace('user')
      const [many, large] = await runAsUser(place, [
        `perl -e 'for (1..600) { my $p = fork; defined $p or last; $p or do { sleep 8; exit } } sleep 8'`,
        `for i in 1 2 3; do perl -e '$x = "x" x (400 << 20); sleep 8' & done; wait`,
      ])
      expect(many!.end).toEqual({ by: 'processes' })
      expect(large!.end).toEqual({ by: 'memory' })
    })
  },
)

test.skipIf(!isRoot)(
  'sandbox-runtime is not used by a server that runs as root, whose files its commands would own',
  async () => {
    const opening = runtimeSandbox({ limits: LIMITS, readable: [], hidden: [], path: SYSTEM_PATH, leaseMs: 10_000 })
    await expect(opening).rejects.toThrow('does not hold when the server runs as root')
  },
)

test('the level is a value, with the reason why it is not a better one', async () => {
  await using place = await openPlace('user')
  const { dataDir } = place
  expect(await openSandbox({ dataDir, best: 'none' })).toMatchObject({ level: 'none', reason: 'switched off' })
  const { level, reason } = await openSandbox({ dataDir })
  expect([level === 'sandbox-runtime', reason === null]).toEqual([!isRoot && isInstalled, level === 'sandbox-runtime'])
})

async function runAsUser({ dataDir, workspace }: Place, commands: string[]): Promise<Ran[]> {
  const node = [process.execPath, '--conditions=parley-source', worker, dataDir, workspace, ...commands]
  const [file, ...args] = [...borrowed, ...node]
  const { stdout } = await promisify(execFile)(file!, args, { cwd: '/', env: { PATH: SYSTEM_PATH }, timeout: 18_000 })
  return [...stdout.matchAll(/^ran (.*)$/gm)].map(([, json]) => JSON.parse(json!) as Ran)
}
