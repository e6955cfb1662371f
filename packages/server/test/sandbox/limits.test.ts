import { existsSync, globSync, readFileSync, statfsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/sandbox/sandbox.ts'
import { canMount, smallDisk } from '../store/small-disk.ts'
import { openBarePlace, openPlace, type Rights, rightsHere } from './rig.ts'

const MB = 1024 ** 2

/** On a disk of its own, where one can be had: what others write hides what a command took or gave back. */
function ownDisk(): Disposable & { while: <T>(work: () => Promise<T>) => Promise<T> } {
  if (!canMount) return { while: (work) => work(), [Symbol.dispose]: () => undefined }
  const disk = smallDisk(2_000)
  return {
    async while(work) {
      const { TMPDIR } = process.env
      process.env['TMPDIR'] = disk.path
      try {
        return await work()
      } finally {
        process.env['TMPDIR'] = TMPDIR
      }
    },
    [Symbol.dispose]: () => disk[Symbol.dispose](),
  }
}

const available: (Rights | 'no sandbox')[] = [...(await rightsHere()), 'no sandbox']
const [MEMFD_CREATE, PWRITE] = process.arch === 'arm64' ? [279, 68] : [319, 18]

/** Perl, which is everywhere: writes so many megabytes to a file handle. */
const FILL = 'sub fill { my ($f, $n) = @_; my $b = "x" x (1 << 20); for (1..$n) { defined syswrite($f, $b) or last } }'
const MEMFD = `${FILL} sub memfd { my $fd = syscall(${MEMFD_CREATE}, my $n = "x", 0); open(my $f, "+<&=", $fd); $f }`
/** Sends an open file to a socket, which keeps it. */
const SEND = `sub send_file { my ($to, $f) = @_; my $x = "x"; my $iov = pack("PQ", $x, 1); my $c = pack("Qiii x4", 20, 1, 1, fileno $f); my $m = pack("QL x4 PQPQ i x4", 0, 0, $iov, 1, $c, 24, 0); syscall(${process.arch === 'arm64' ? 211 : 46}, fileno $to, $m, 0) == 1 }`

const MEMORY: Record<string, string> = {
  'memory files': `${MEMFD} for (1..6) { push @f, memfd(); fill($f[-1], 100) } print "held it\\n"; sleep 8`,
  // Each in its own part: where they stand in the file they share as well, and would write over one another.
  'one memory file that several processes share': `${MEMFD} $f = memfd(); for $n (1..4) { $i = $n; fork or last; $i = 0 } my $b = "x" x (1 << 20); for (1..200) { syscall(${PWRITE}, fileno $f, $b, 1 << 20, ($i * 200 + $_ - 1) << 20) > 0 or last } print "held it\\n"; sleep 8`,
  'deleted files in /dev/shm and /tmp': `${FILL} for $d ("/dev/shm", "/tmp") { for (1..3) { open(my $f, ">", "$d/$_"); fill($f, 100); unlink "$d/$_"; push @f, $f } } print "held it\\n"; sleep 8`,
}

describe.each(available)('a command, %s,', (rights) => {
  const open = (limits = LIMITS) => (rights === 'no sandbox' ? openBarePlace(limits) : openPlace(rights, { limits }))

  test('inherits no descriptor but its input and its output', async () => {
    await using place = await open()
    const { wrap } = place.sandbox
    // As a server that was itself started with one more.
    place.sandbox.wrap = async (options) => {
      const { file, args, ...launch } = await wrap(options)
      return { ...launch, file: 'bash', args: ['-c', 'exec 77< /etc/passwd; exec "$0" "$@"', file, ...args] }
    }
    const { output } = await place.run('for fd in /proc/self/fd/*; do echo "${fd##*/} $(readlink $fd)"; done')
    const kinds = output
      .trim()
      .split('\n')
      .map((line) => line.replace(/pipe:.*/, 'pipe'))
    expect(kinds.filter((line) => !line.startsWith('255 '))).toEqual(['0 /dev/null', '1 pipe', '2 pipe', '3'])
  })

  test('leaves the processor to others first, in the way that it says', async () => {
    await using place = await open()
    const { output } = await place.run('read -r _ stat < /proc/self/stat; set -- ${stat#*) }; echo ${17}; sleep 0.1')
    const weights = globSync('/sys/fs/cgroup/**/parley-*/{cpu.shares,cpu.weight}').map((file) =>
      readFileSync(file, 'utf8'),
    )
    const isWeighed = weights.some((weight) => ['512', '50'].includes(weight.trim()))
    expect(place.sandbox.limits.cpu === 'cgroup' ? isWeighed : Number(output) > 0).toBe(true)
  })

  test.each(Object.entries(MEMORY))('cannot hold more memory than its limit in %s', async (what, program) => {
    // Outside a sandbox these lie on the machine's own tmpfs, or on its disk.
    if (rights === 'no sandbox' && what.startsWith('deleted')) return
    await using place = await open({ ...LIMITS, memoryBytes: 200 * MB })
    const { end, output } = await place.run(`perl -e '${program}'`)
    expect({ end, output }).toEqual({ end: { by: 'memory' }, output: expect.not.stringContaining('held it') })
  })

  test('is ended when the machine’s memory gets short, wherever it hides what it took', async () => {
    await using place = await open({ ...LIMITS, memoryBytes: 100 * MB, reserveBytes: totalmem(), reservePart: 1 })
    // In a socket's queue, where no process has it open; or it is not given sockets at all. The machine's memory is
    // everybody's: others may give back, just then, more than it took. But not every time that it takes it again.
    const { end, output } = await place.run(
      `perl -MSocket -e '${MEMFD} ${SEND} for (1..8) { @s = (); for (1..10) { socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, 0) or die "refused"; my $f = memfd(); fill($f, 50); send_file($a, $f) or die "not sent: $!"; push @s, $a, $b } select(undef, undef, undef, 0.5) } print "held it\n"'`,
    )
    if (!output.startsWith('refused'))
      expect({ end, output }).toEqual({ end: { by: 'memory' }, output: expect.anything() })
  })

  test('is ended when its workspace grows beyond what it may hold, in one file or in many', async () => {
    using disk = ownDisk()
    await using place = await disk.while(() => open({ ...LIMITS, workspaceBytes: 40 * MB }))
    const many = `for i in $(seq 400); do head -c 1M /dev/zero > $i || exit; done; sleep 8`
    expect((await place.run(many)).end).toEqual({ by: 'disk' })
    const freed = await place.run('rm -f *; ls | wc -l')
    expect(freed).toEqual({ end: { by: 'exit', code: 0 }, output: '0\n' })
  })

  test('cannot hide its files from that: deleted, or closed to others', async () => {
    using disk = ownDisk()
    // One workspace each: where the disk is shared, others may take what the first gave back, and it seems full still.
    await using one = await disk.while(() => open({ ...LIMITS, workspaceBytes: 40 * MB }))
    const deleted = `exec 7> a; rm a; head -c 60M /dev/zero >&7; exec 8> b; rm b; head -c 60M /dev/zero >&8; sleep 8`
    expect((await one.run(deleted)).end).toEqual({ by: 'disk' })
    await using place = await disk.while(() => open({ ...LIMITS, workspaceBytes: 40 * MB }))
    const locked = `mkdir d; cd d; for i in $(seq 400); do head -c 1M /dev/zero > $i || exit; done; chmod 0 .; sleep 8`
    expect((await place.run(locked)).end).toEqual({ by: 'disk' })
    await place.run('chmod 700 d; rm -rf d')
  })

  test('is ended when it would take what the disk keeps free, and may then only read and delete', async () => {
    const free = () => freeOn(tmp)
    using disk = ownDisk()
    await using probe = await disk.while(() => openBarePlace())
    const tmp = probe.dataDir
    const reserve = { reservePart: 1, reserveBytes: free() - 40 * MB }
    await using place = await disk.while(() => open({ ...LIMITS, ...reserve }))
    const taking = await place.run('for i in $(seq 400); do head -c 1M /dev/zero > $i || exit; done; sleep 8')
    expect(taking.end).toEqual({ by: 'full' })
    await using full = await disk.while(() => open({ ...LIMITS, reservePart: 1, reserveBytes: free() + 100 * MB }))
    const { output } = await full.run('cat mine.txt; echo x > made; [ -s made ] && echo written; rm mine.txt; ls')
    expect(output).toMatch(/^mine/)
    expect(output).not.toContain('written')
    expect(existsSync(join(full.workspace, 'mine.txt'))).toBe(false)
  })
})

test('many commands that write a little each do not fill a workspace beyond what it may hold', async () => {
  using disk = ownDisk()
  await using place = await disk.while(() => openBarePlace({ ...LIMITS, workspaceBytes: 16 * MB }))
  // Each stays below what makes anybody look.
  for (let n = 0; n < 40; n++) await place.run(`head -c 900K /dev/zero > small-${n}; sleep 0.2`)
  const { output } = await place.run('du -sm .; rm small-*; ls')
  expect(Number.parseInt(output)).toBeLessThan(25)
  expect(output).not.toContain('small')
})

function freeOn(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}
