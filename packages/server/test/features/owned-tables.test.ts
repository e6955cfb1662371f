import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openAgents } from '../../src/agents/open-agents.ts'
import { withDefaults } from '../../src/config/options.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { openFeatures } from '../../src/features.ts'
import { openSandbox } from '../../src/sandbox/open-sandbox.ts'
import type { Engine } from '../../src/store/engine.ts'
import { InstanceWatch } from '../../src/store/instances.ts'
import { CORE_TABLES } from '../../src/store/session-rows.ts'
import { Workspaces } from '../../src/workspace/workspaces.ts'
import { journalOf } from '../store/fixtures.ts'
import { sqlitePlace } from '../store/place.ts'
import { clock } from '../tools/bash/tool-rig.ts'

/** A slot of a schedule only says which session its run was in. */
const BELONG_ELSEWHERE = ['slots']

test('every table with a session_id belongs to the store or to one feature, so that no row outlives its session', async () => {
  await using parts = new AsyncDisposableStack()
  const place = parts.use(await sqlitePlace())
  const engine = parts.use(await place.open())
  const onError = (error: unknown) => expect.fail(String(error))
  const config = withDefaults({ dataDir: place.at, sandbox: 'none' })
  const features = await openFeatures(
    {
      config,
      engine,
      clock,
      journal: journalOf(engine),
      egress: parts.use(createEgress({})),
      logger: pino({ level: 'silent' }),
      ids: { next: (prefix) => `${prefix}_1` },
      instance: 'one',
      instances: parts.use(new InstanceWatch({ engine, leaseMs: 1_000, monotonicNow: () => clock.elapsed(), onError })),
      version: '0',
      address: Promise.resolve('http://127.0.0.1'),
      sealFor: () => ({ seal: (text) => text, open: (text) => text }),
      workspaces: new Workspaces(place.at),
      agents: openAgents({
        ...{ engine, dataDir: place.at, agentsDir: undefined, key: randomBytes(32), randomBytes },
        ...{ language: 'en', logger: pino({ level: 'silent' }) },
      }),
      modelOf: () => expect.fail('no model is asked'),
      hasModel: () => true,
      offersModel: async () => true,
      isOwner: async () => true,
      tell: () => undefined,
    },
    { sandbox: openSandbox({ dataDir: place.at, best: 'none' }), isDemo: false, supervisor: null, extra: [] },
    parts,
  )
  expect([...CORE_TABLES, ...features.tables, ...BELONG_ELSEWHERE].sort()).toEqual(await tablesWithSession(engine))
})

async function tablesWithSession(engine: Engine): Promise<string[]> {
  const rows = await engine.select<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table'
      AND EXISTS (SELECT 1 FROM pragma_table_info(sqlite_schema.name) AS col WHERE col.name = 'session_id') ORDER BY name`,
    [],
  )
  return rows.map(({ name }) => name)
}
