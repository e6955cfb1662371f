import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { startGuarded } from '../../src/sandbox/run-guarded.ts'
import { LIMITS } from '../../src/sandbox/sandbox.ts'
import { isAlive, NOTE, openPlace, rightsHere, SECRET, until } from './rig.ts'

const available = await rightsHere()
const KEY = `the-key-in-the-environment-${randomUUID()}`
process.env['PARLEY_TEST_KEY'] = KEY

test.skipIf(available.length > 0)('no sandbox on this machine: the escapes below are not tried', () => undefined)

describe.each(available)('a command of a server with the rights of: %s', (rights) => {
  test('works in its workspace, whose files it may read and write', async () => {
    await using place = await openPlace(rights)
    const { output, end } = await place.run('cat mine.txt; echo new > made.txt; mkdir -p a/b && echo deep > a/b/c; pwd')
    expect({ output, end }).toEqual({ output: `mine${place.workspace}\n`, end: { by: 'exit', code: 0 } })
    expect(readFileSync(join(place.workspace, 'a/b/c'), 'utf8')).toBe('deep\n')
    if (rights === 'user with sandbox-runtime') return
    const { sandbox, workspace } = place
    const relativeOne = { sandbox, workspace: relative('.', workspace), command: 'pwd', env: {}, leaseMs: 5_000 }
    const running = await startGuarded(relativeOne)
    expect(await text(running.output)).toBe(`${workspace}\n`)
  })

  test.each([
    ['as it is', (attempts: string) => attempts],
    [
      'in a user namespace of its own',
      // The second where it may not say who it is in there; its capabilities it has all the same.
      (attempts: string) => `unshare -Urm sh -c '${attempts}'; unshare -Um --keep-caps sh -c '${attempts}'`,
    ],
  ])('cannot remount what it sees as writable, %s', async (_how, wrapped) => {
    await using place = await openPlace(rights)
    const name = `parley-escape-${randomUUID()}`
    const paths = ['/', '/etc', '/usr', place.dataDir]
    const remounts = paths.map(
      (path) =>
        `mount -o remount,rw ${path} && echo remounted; mount -o remount,bind,rw ${path} && echo remounted; echo x > ${path}/${name}`,
    )
    // In a namespace of its own it may mount what it likes, over what it alone sees.
    const attempts = [...remounts, `mount --bind /tmp /usr; echo x > /usr/${name}`]
    const { output } = await place.run(wrapped(attempts.join('; ')))
    expect(output).toMatch(/denied|superuser|not permitted|Read-only/)
    expect(output).not.toContain('remounted')
    for (const path of paths) expect(existsSync(join(path, name)), path).toBe(false)
  })

  test('cannot write anywhere outside its workspace', async () => {
    await using place = await openPlace(rights)
    const name = `parley-escape-${randomUUID()}`
    const targets = [
      '/',
      '/etc',
      '/usr/bin',
      '/tmp',
      '/var/tmp',
      '/dev',
      '/dev/shm',
      '/sys',
      '/proc/sys/kernel',
      '/run',
      '/root',
    ]
    const all = [...targets, place.dataDir, place.theirs, join(place.workspace, '..')]
    const { output } = await place.run(all.map((path) => `echo x > ${path}/${name} && echo wrote ${path}`).join('; '))
    for (const path of all) expect(existsSync(join(path, name)), path).toBe(false)
    expect(output).not.toMatch(/wrote \/(?:etc|usr|sys|proc|root|run)?$/m)
    // Each gets the value it has: where the sandbox fails, the machine must not suffer.
    const settings = ['hostname', 'core_pattern', 'modprobe', 'sysrq'].map((name) => `/proc/sys/kernel/${name}`)
    const kernel = await place.run(
      settings.map((path) => `v=$(cat ${path}) && echo "$v" > ${path} && echo wrote`).join('; '),
    )
    expect(kernel.output).not.toContain('wrote')
  })

  test('cannot read the passwords of the system', async () => {
    await using place = await openPlace(rights)
    const { output } = await place.run('cat /etc/shadow /etc/gshadow /etc/shadow-; ls /etc/ssh/; echo done')
    expect(output).not.toMatch(/root:|ssh_host|sshd_config/)
    expect(output).toContain('done')
  })

  test('cannot see the data directory, other workspaces or anybody’s home', async () => {
    await using place = await openPlace(rights)
    const { dataDir, theirs } = place
    const { output } = await place.run(
      `cat ${dataDir}/secret.txt ${theirs}/note.txt; ls ${theirs}; ls ${dataDir} ${dataDir}/workspaces; ls -A /root /home`,
    )
    expect(output).not.toContain(SECRET)
    expect(output).not.toContain(NOTE)
    expect(output).not.toContain('secret.txt\n')
    expect(output).not.toContain('note.txt\n')
    const files = await place.run('find /root /home /mnt /srv /var /run -type f -o -type l 2>/dev/null | wc -l')
    expect(files.output).toBe('0\n')
  })

  test('has no environment but its own, and finds nobody else’s', async () => {
    await using place = await openPlace(rights)
    const own = await place.run('env | cut -d= -f1 | sort', { env: { GREETING: 'hello\nthere', 'not-a-name': 'x' } })
    const names = own.output.split('\n').filter((name) => /^[A-Z]/.test(name))
    // The mark by which a guard outside finds what it has to kill.
    expect(names.filter((name) => !['PWD', 'SHLVL', 'PARLEY_GUARD'].includes(name))).toEqual([
      'GREETING',
      'HOME',
      'LANG',
      'PATH',
      'TMPDIR',
    ])
    const others = await place.run('for p in /proc/[0-9]*; do tr "\\0" "\\n" < $p/environ; done')
    expect(others.output).not.toContain(KEY)
    expect(others.output.replaceAll('PARLEY_GUARD', '')).not.toContain('PARLEY_')
  })

  test('sees what the operator made readable, inside hidden directories too, and cannot change it', async () => {
    await using place = await openPlace(rights, { readable: (dataDir) => [join(dataDir, 'skills')] })
    const skill = join(place.dataDir, 'skills', 'SKILL.md')
    const { output } = await place.run(
      `cat ${skill}; echo x >> ${skill} || echo kept; ls -A ${place.dataDir}/skills/private; cat ${place.dataDir}/secret.txt`,
    )
    expect(output).toMatch(/^a skill\n.*(?:Read-only|denied).*\nkept\n/)
    expect(output).not.toContain(SECRET)
    expect(output).not.toContain('key.txt')
  })

  test('may be given variables of any name', async () => {
    await using place = await openPlace(rights)
    const names = ['command', 'part', 'pairs', 'last', 'IFS', 'UID', 'PARLEY_INNER', 'mark', '1']
    const env = Object.fromEntries(names.map((name) => [name, 'echo taken']))
    expect(await place.run('echo "$command"', { env })).toEqual({
      output: 'echo taken\n',
      end: { by: 'exit', code: 0 },
    })
  })

  test('sees no process of the machine, and can neither signal nor trace those that guard it', async () => {
    await using place = await openPlace(rights)
    const trace = `perl -e 'print syscall(101, 16, 1, 0, 0) == 0 ? "traced\\n" : "refused\\n"'`
    const { output, end } = await place.run(
      `ls -d /proc/[0-9]* | wc -l; kill -9 1; kill -STOP 1; kill -9 ${process.pid}; cat /proc/1/mem /proc/1/maps; ${trace}; echo alive`,
    )
    expect(Number(output.split('\n', 1)[0])).toBeLessThan(10)
    expect(output).not.toContain('traced')
    expect(output).toMatch(/\/proc\/1\/mem: Permission denied/)
    expect(output).toContain('alive')
    expect(end).toEqual({ by: 'exit', code: 0 })
  })

  test('cannot get out through /proc/1/root or the namespaces of its guard', async () => {
    await using place = await openPlace(rights)
    const secret = join(place.dataDir, 'secret.txt')
    const { output } = await place.run(
      `cat /proc/1/root${secret}; ls /proc/1/root/ /proc/1/cwd/; for n in mnt pid user; do nsenter -t 1 --$n cat ${secret}; done; chroot /proc/1/root cat ${secret}`,
    )
    expect(output).not.toContain(SECRET)
    expect(output.match(/denied|not permitted|No such file|cannot open/gi)!.length).toBeGreaterThan(4)
  })

  test('gets nowhere with links', async () => {
    await using place = await openPlace(rights)
    const { dataDir, theirs, workspace } = place
    const { output } = await place.run(
      `ln -s ${dataDir}/secret.txt link; cat link; ln -s ${theirs} dir; cat dir/note.txt; ln -s /etc etc; touch etc/parley-escape;` +
        `ln ${dataDir}/secret.txt hard; ln /etc/passwd hard; ln /proc/self/exe hard; cat hard; ln -s / root; cat root${dataDir}/secret.txt`,
    )
    expect(output).not.toContain(SECRET)
    expect(output).not.toContain(NOTE)
    expect(existsSync('/etc/parley-escape')).toBe(false)
    expect(existsSync(join(workspace, 'hard'))).toBe(false)
  })

  test('keeps no privilege and gains none from setuid programs', async () => {
    await using place = await openPlace(rights)
    const { output } = await place.run(
      'grep -E "^(Cap|NoNewPrivs)" /proc/self/status; cp /bin/bash shell; chmod 4755 shell; ./shell -p -c "id -u"; su -c "id -u" root; mount -t tmpfs none /tmp; mknod disk b 254 0; chown 0 shell',
    )
    expect(output).toMatch(/NoNewPrivs:\t1/)
    // What it could gain at most tells nothing where it cannot gain anything.
    expect(output.match(/^Cap(?!Bnd)\w+:\t0000000000000000$/gm)).toHaveLength(4)
    expect(output).not.toMatch(/^0$/m)
    expect(output).toMatch(/mknod: .*(?:denied|not permitted)/)
  })

  test('can make no user namespace, and so mount no memory of its own', async () => {
    await using place = await openPlace(rights)
    const { output } = await place.run(
      'unshare -U echo made; unshare -Urm sh -c "mount -t tmpfs none /tmp && echo mounted"; unshare -U --keep-caps chroot / echo left',
    )
    expect(output.match(/Operation not permitted/g)).toHaveLength(3)
    expect(output).not.toMatch(/^(?:made|mounted|left)$/m)
  })

  test('meets nobody in System V memory, and cannot hide much in it', async () => {
    await using place = await openPlace(rights)
    const of = (name: string) => readlinkSync(`/proc/self/ns/${name}`)
    const { output } = await place.run('readlink /proc/self/ns/ipc /proc/self/ns/uts; cat /proc/sys/kernel/shmall')
    const [ipc, uts, pages] = output.trim().split('\n')
    expect([ipc === of('ipc'), uts === of('uts')]).toEqual([false, false])
    // Only root of a namespace may say how much; bubblewrap has none.
    if (rights !== 'user with sandbox-runtime') expect(Number(pages)).toBeLessThanOrEqual(16_384)
  })

  test('finds no disks, and no kernel to configure', async () => {
    await using place = await openPlace(rights)
    const { output } = await place.run('ls /dev; ls -A /sys 2>/dev/null | wc -l')
    const terminals = ['core', 'ptmx', 'pts', 'tty'] // of its own, where there are any
    expect(
      output
        .trim()
        .split('\n')
        .filter((name) => !terminals.includes(name)),
    ).toEqual(['fd', 'full', 'null', 'random', 'shm', 'stderr', 'stdin', 'stdout', 'urandom', 'zero', '0'])
  })

  test.each([
    [false, 'reaches no address, the machine’s own included'],
    [true, 'reaches the network where the operator allows it'],
  ])('network %s: %s', async (network) => {
    if (network && rights === 'user with sandbox-runtime') return // an operator who allows it gets another level
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      await using place = await openPlace(rights, { network })
      const { port } = server.address() as AddressInfo
      const { output } = await place.run(`exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3; cat /proc/net/dev | grep -c :`)
      expect(output.includes('hello')).toBe(network)
    } finally {
      server.close()
    }
  })

  test('cannot fork without end', async () => {
    await using place = await openPlace(rights)
    const bomb = `perl -e 'for (1..2000) { my $p = fork; defined $p or last; $p or do { sleep 8; exit }; $n++ } print "forked $n\\n"'`
    const { output, end } = await place.run(bomb)
    const forked = Number(/forked (\d+)/.exec(output)?.[1] ?? 0)
    expect(forked).toBeLessThanOrEqual(LIMITS.processes)
    expect(forked > 100 || end.by === 'processes').toBe(true)
  })

  test('cannot hold more memory than its limit, in one process', async () => {
    await using place = await openPlace(rights)
    const { output, end } = await place.run(`perl -e '$x = "x" x (1 << 30); print "held it\\n"; sleep 2'`)
    expect(output).not.toContain('held it')
    expect(end).not.toEqual({ by: 'exit', code: 0 })
  })

  test('cannot hold more memory than its limit, in several processes', async () => {
    await using place = await openPlace(rights, { limits: { ...LIMITS, memoryBytes: 200 * 1024 ** 2 } })
    const { end } = await place.run(`for i in 1 2 3 4; do perl -e '$x = "x" x (80 << 20); sleep 8' & done; wait`)
    expect(end).toEqual({ by: 'memory' })
  })

  test('cannot hide memory in /dev/shm or /tmp, nor fill the disk with one file', async () => {
    await using place = await openPlace(rights, { limits: { ...LIMITS, fileBytes: 10 * 1024 ** 2 } })
    const { output } = await place.run(
      'for i in $(seq 40); do head -c 10000000 /dev/zero > /dev/shm/$i || break; done; du -sm /dev/shm; head -c 11M /dev/zero > big; stat -c "big %s" big',
    )
    expect(Number(/^(\d+)\t\/dev\/shm$/m.exec(output)?.[1])).toBeLessThanOrEqual(64)
    expect(output).toContain(`big ${10 * 1024 ** 2}`)
  })

  test('leaves no process behind, however it hides them', async () => {
    await using place = await openPlace(rights)
    const token = `${Math.random()}`.slice(2, 12)
    const { output, end } = await place.run(
      `setsid sleep 5${token} & (setsid setsid sleep 6${token} &) ; nohup sleep 7${token} >/dev/null 2>&1 & echo started; exit 4`,
    )
    expect(output).toContain('started')
    expect(end).toEqual({ by: 'exit', code: 4 })
    await until(() => !isAlive(token), 2_000, 'all processes gone')
  })

  test('does not get its variables near the programs that confine it', async () => {
    await using place = await openPlace(rights)
    const bin = join(place.workspace, 'bin')
    await writeFile(join(place.workspace, 'trap.sh'), 'id -u >> ran-as\n')
    const env = {
      BASH_ENV: join(place.workspace, 'trap.sh'),
      ENV: 'trap.sh',
      PATH: `${bin}:/usr/bin:/bin`,
      IFS: '/',
      LD_PRELOAD: '/nothing.so',
    }
    const setup = await place.run(
      `mkdir bin; for name in setpriv setsid env bash cat mount unshare; do printf '#!/bin/sh\\n/usr/bin/id -u >> ran-as\\nexec /usr/bin/%s "$@"\\n' $name > bin/$name; chmod +x bin/$name; done`,
    )
    expect(setup.end).toEqual({ by: 'exit', code: 0 })
    await place.run('echo hello', { env })
    const ranAs = existsSync(join(place.workspace, 'ran-as'))
      ? readFileSync(join(place.workspace, 'ran-as'), 'utf8')
      : ''
    expect(ranAs).not.toBe('') // the trap does spring
    expect(ranAs.split('\n')).not.toContain('0')
  })
})
