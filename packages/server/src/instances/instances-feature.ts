import type { Instance, InstanceList } from '@parley/protocol/rest'
import { instanceListSchema } from '@parley/protocol/schemas'
import type { Feature, World } from '../feature.ts'
import { needs } from '../http/signed-in.ts'
import { type InstanceRow, instancesWithRuns } from '../store/instances.ts'

/** The servers that share this database, for whoever runs them. */
export function instancesFeature({ engine, instance, instances, config }: World): Feature {
  return {
    name: 'instances',
    routes(scope) {
      const listing = needs('owner', {
        says: ['The servers that share the database, with their leases and runs', '列出共享数据库的服务器实例'],
        answer: instanceListSchema,
      })
      scope.get('/api/instances', listing, async (): Promise<InstanceList> => {
        const rows = await engine.read(instancesWithRuns)
        const items = rows.map((row) => shown(row, { instance, gone: instances.gone }))
        return { items, total: items.length, lease_ms: config.leaseMs, database: engine.kind }
      })
    },
  }
}

type Seen = { instance: string; gone: ReadonlySet<string> }

function shown({ id, started_at, lease_until, runs }: InstanceRow, { instance, gone }: Seen): Instance {
  const { host, pid } = placeOf(id)
  return {
    id,
    host,
    pid,
    is_this: id === instance,
    started_at: new Date(started_at).toISOString(),
    lease_until: new Date(lease_until).toISOString(),
    state: gone.has(id) ? 'silent' : 'live',
    runs,
  }
}

/** An id is made of both, and of something that no other start has. */
function placeOf(id: string): { host: string; pid: number } {
  const [, host = id, pid = '0'] = /^(.*):(\d+):[^:]*$/.exec(id) ?? []
  return { host, pid: Number(pid) }
}
