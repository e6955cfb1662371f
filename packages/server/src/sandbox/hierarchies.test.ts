import { expect, test } from 'vitest'
import { hierarchiesOf } from './hierarchies.ts'

const V1_MOUNTS = `25 20 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
26 25 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
27 25 0:30 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
28 25 0:31 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer`

test.each([
  [
    'version 1, a tree for each controller',
    { memberships: '3:memory:/user/one\n2:cpu,cpuacct:/\n1:freezer:/\n0::/', mounts: V1_MOUNTS },
    [
      { version: 1, directory: '/sys/fs/cgroup/cpu,cpuacct', controllers: ['cpu'] },
      { version: 1, directory: '/sys/fs/cgroup/memory/user/one', controllers: ['memory'] },
    ],
  ],
  [
    'a container of version 1, which is told its name outside',
    {
      memberships: '3:memory:/docker/abc',
      mounts: '27 25 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory',
    },
    [{ version: 1, directory: '/sys/fs/cgroup/memory', controllers: ['memory'] }],
  ],
  [
    'version 2, whose controllers are told elsewhere',
    {
      memberships: '0::/system.slice/parley.service',
      mounts: '30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate',
    },
    [{ version: 2, directory: '/sys/fs/cgroup/system.slice/parley.service', controllers: [] }],
  ],
  ['a system without any', { memberships: '', mounts: '30 20 0:26 / / rw - ext4 /dev/root rw' }, []],
])('%s', (_what, { memberships, mounts }, found) => {
  const usable = hierarchiesOf(memberships, mounts).filter(
    ({ version, controllers }) => version === 2 || controllers.length > 0,
  )
  expect(usable).toEqual(found)
})
