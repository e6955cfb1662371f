import { describe, expect, test } from 'vitest'
import { versionDigest, ToolVersions } from '../../../src/tools/mcp/tool-versions.ts'
import { postgresPlace, sqlitePlace } from '../../store/place.ts'

const first = { description: 'Reads.', input: { type: 'object', properties: { a: {}, b: {} } } }
const second = { ...first, description: 'Reads and sends.' }

describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
])('%s', (_name, openPlace) => {
  test('of versions that are used at the same time, one counts for everybody', async () => {
    await using place = await openPlace()
    await using engine = await place.open()
    const versions = new ToolVersions(engine)
    const pinned = await Promise.all(
      [first, second, first, second].map((version) => versions.pin('mcp__a__b', version)),
    )
    expect(new Set(pinned.map(({ digest }) => digest)).size).toBe(1)
    expect((await versions.load()).get('mcp__a__b')).toEqual(pinned[0])
  })

  test('an approved version takes the place of the first one, and the audit log says who agreed', async () => {
    await using place = await openPlace()
    await using engine = await place.open()
    const versions = new ToolVersions(engine)
    await versions.pin('mcp__a__b', first)
    await versions.approve('mcp__a__b', second, 'user_1')
    expect(await versions.pin('mcp__a__b', first)).toEqual({ ...second, digest: versionDigest(second) })
    expect(await engine.select('SELECT approved_by FROM tool_versions', [])).toEqual([{ approved_by: 'user_1' }])
    expect(await engine.select('SELECT actor, action, subject FROM audit', [])).toEqual([
      { actor: 'user_1', action: 'tool.approve', subject: 'mcp__a__b' },
    ])
  })
})

test('the order of keys does not change a digest; anything else does', () => {
  const reordered = { input: { properties: { b: {}, a: {} }, type: 'object' }, description: 'Reads.' }
  expect(versionDigest(reordered)).toBe(versionDigest(first))
  expect(versionDigest(second)).not.toBe(versionDigest(first))
  expect(versionDigest({ ...first, input: { type: 'object', properties: { a: {} } } })).not.toBe(versionDigest(first))
  expect(versionDigest({ ...first, hints: { readOnly: true } })).not.toBe(versionDigest(first))
})
