import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the kernel can limit for a group of processes. */
export type Controller = 'memory' | 'pids' | 'cpu'

/** A tree of control groups: this process's own place in it, and which controllers work there. */
export type Hierarchy = { version: 1 | 2; directory: string; controllers: Controller[] }

const CONTROLLERS: readonly Controller[] = ['memory', 'pids', 'cpu']

/** The trees that this process is in; none where there is no Linux. */
export function hierarchiesHere(): Hierarchy[] {
  try {
    const found = hierarchiesOf(readFileSync('/proc/self/cgroup', 'utf8'), readFileSync('/proc/self/mountinfo', 'utf8'))
    return found.map(withControllers).filter(({ controllers }) => controllers.length > 0)
  } catch {
    return []
  }
}

/** From `/proc/self/cgroup` and `/proc/self/mountinfo`. Version 2 lists its controllers in a file, so they are none yet. */
export function hierarchiesOf(memberships: string, mounts: string): Hierarchy[] {
  const places = memberships
    .trim()
    .split('\n')
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
  return mounts.split('\n').flatMap((line) => {
    const [front = '', back = ''] = line.split(' - ')
    const [, , , root = '/', mountPoint = ''] = front.split(' ')
    const [type, , options = ''] = back.split(' ')
    if (type !== 'cgroup' && type !== 'cgroup2') return []
    const controllers = type === 'cgroup' ? CONTROLLERS.filter((name) => options.split(',').includes(name)) : []
    const place = places.find((found) =>
      type === 'cgroup2'
        ? found?.[1] === ''
        : found?.[1]?.split(',').some((name) => controllers.includes(name as never)),
    )?.[2]
    if (place === undefined) return []
    // A container sees its own group mounted as the root, and may be told the name that it has outside.
    const below = place.startsWith(root) ? place.slice(root.length) : place
    return [
      { version: type === 'cgroup' ? 1 : 2, directory: below ? join(mountPoint, below) : mountPoint, controllers },
    ]
  })
}

/**
 * Makes the tree ready for groups below ours. In version 2 only a group without processes of its own may limit others: the
 * server moves into a child, if nobody but its children is in the group with it. Throws where that cannot be.
 */
export function prepareHierarchy({ version, directory, controllers }: Hierarchy, own: string): void {
  if (version === 1) return
  const control = join(directory, 'cgroup.subtree_control')
  const enabled = readFileSync(control, 'utf8').trim().split(' ')
  if (controllers.every((name) => enabled.includes(name))) return
  const isRootOfAll = !existsSync(join(directory, 'cgroup.type'))
  if (!isRootOfAll) moveInto(join(directory, own), readFileSync(join(directory, 'cgroup.procs'), 'utf8'))
  writeFileSync(control, controllers.map((name) => `+${name}`).join(' '))
}

function withControllers(hierarchy: Hierarchy): Hierarchy {
  if (hierarchy.version === 1) return hierarchy
  const offered = readFileSync(join(hierarchy.directory, 'cgroup.controllers'), 'utf8').trim().split(' ')
  return { ...hierarchy, controllers: CONTROLLERS.filter((name) => offered.includes(name)) }
}

function moveInto(directory: string, processes: string): void {
  const pids = processes.trim().split('\n').filter(Boolean)
  if (!pids.every(isOurs)) throw new Error('other programs are in the control group of the server')
  mkdirSync(directory)
  for (const pid of pids) writeFileSync(join(directory, 'cgroup.procs'), pid)
}

function isOurs(pid: string): boolean {
  if (pid === String(process.pid)) return true
  return new RegExp(`^PPid:\\t${process.pid}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}
