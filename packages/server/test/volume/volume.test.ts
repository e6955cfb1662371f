import { type PatchMode, textOf } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/store/sqlite/engine.ts'
import type { Client } from '../face/client.ts'
import { openFace } from '../face/face.ts'
import { World } from '../wire/world.ts'

const CHARACTERS = 200_000
const INCREMENTS = 50_000
const WORD = 'word'
/** Increments that are stored together. Each is still a patch of its own. */
const PER_WRITE = 50

const MODES: PatchMode[] = ['compat', 'delta', 'sync']

/** How many times the text a mode may cost. `sync` sends a turn again when it has grown by 5 %: 21 times in all, and an envelope. */
const FACTOR: Record<PatchMode, number> = { compat: 200, delta: 100, sync: 25 }

describe('the native face, every increment a patch of its own', () => {
  test(
    `[W17.3] [WR-3] [WR-4] ${CHARACTERS} characters in ${INCREMENTS} increments cost a multiple of the text, in every mode`,
    { timeout: 300_000 },
    async () => {
      const [half, whole] = [await patchesOf(INCREMENTS / 2), await patchesOf(INCREMENTS)]
      for (const mode of MODES) {
        expect(whole[mode], mode).toBeLessThan(FACTOR[mode] * CHARACTERS)
        expect(whole[mode], mode).toBeLessThan(2.2 * half[mode])
      }
    },
  )
})

describe('the whole server, increments gathered as they come', () => {
  test(
    `[W17.3] ${CHARACTERS} characters in ${INCREMENTS} increments: linear, and every mode ends with the text`,
    { timeout: 300_000 },
    async () => {
      await using world = await World.open()
      const text = WORD.repeat(INCREMENTS)
      world.learn({
        half: [{ text: text.slice(0, CHARACTERS / 2), chunkChars: WORD.length }],
        whole: [{ text, chunkChars: WORD.length }],
      })
      const bytes = { half: await answered(world, 'half'), whole: await answered(world, 'whole') }
      for (const mode of MODES) {
        expect(bytes.whole[mode], mode).toBeLessThan(FACTOR[mode] * CHARACTERS)
        expect(bytes.whole[mode], mode).toBeGreaterThan(CHARACTERS)
      }
      expect(bytes.whole.delta).toBeLessThan(2.2 * bytes.half.delta)
    },
  )
})

type Bytes = Record<PatchMode, number>

/** The bytes that each mode gets for one turn, four milliseconds after each other by the clock of the server. */
async function patchesOf(increments: number): Promise<Bytes> {
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') }
  const now = () => clock.now
  await using engine = await openSqlite({ directory: ':memory:', now })
  await using face = await openFace({ engine, now })
  const { session_id } = face
  const readers = await Promise.all(
    MODES.map(async (patch_mode) => counting(await face.connect({ auth: { patch_mode } }))),
  )
  for (const { client } of readers) await client.ask('session:subscribe', { session_id })
  await readers[0]!.client.ask('chat:send', { session_id, message: 'hi' })
  const run = await face.sessions.nextRun()
  await run.startTurn('turn_1', 0)
  for (let said = 0; said < increments; said += PER_WRITE) {
    await run.say('turn_1', ...Array.from({ length: PER_WRITE }, () => WORD))
    clock.now += 4 * PER_WRITE
  }
  await run.endTurn('turn_1')
  await run.end()
  await Promise.all(readers.map(({ ended }) => ended))
  for (const { client } of readers) expect(textOf(client.fold().turns.at(-1)!)).toHaveLength(increments * WORD.length)
  return Object.fromEntries(MODES.map((mode, index) => [mode, readers[index]!.bytes()])) as Bytes
}

async function answered(world: World, question: string): Promise<Bytes> {
  const session_id = await world.newSession()
  const readers = await Promise.all(
    MODES.map(async (patch_mode) => counting(await world.connect({ auth: { patch_mode } }))),
  )
  for (const { client } of readers) await client.ask('session:subscribe', { session_id })
  await readers[0]!.client.ask('chat:send', { session_id, message: question })
  await Promise.all(readers.map(({ ended }) => ended))
  const [, stored] = await world.messages(session_id)
  for (const { client } of readers) expect(client.fold().turns.at(-1)).toEqual(stored)
  return Object.fromEntries(MODES.map((mode, index) => [mode, readers[index]!.bytes()])) as Bytes
}

/** Counts what comes in on the client's socket, frame by frame. */
function counting(client: Client): { client: Client; bytes: () => number; ended: Promise<void> } {
  let bytes = 0
  const ended = new Promise<void>((resolve) => client.socket.once('chat:end', () => resolve()))
  client.socket.io.engine.on('packet', ({ data }: { data?: string }) => {
    bytes += data ? Buffer.byteLength(data) : 0
  })
  return { client, bytes: () => bytes, ended }
}
