import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { ChatSendPayload } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { ask, type Reply } from '../loop/scripted.ts'
import { choose, lastCall, me, Rig } from './rig.ts'

const note: ChatSendPayload['message'] = [
  { type: 'text', text: 'See this' },
  { type: 'file', name: '../note.txt', data: Buffer.from('a note').toString('base64') },
]
const busyForever: Reply = { text: 'Well', until: new Promise(() => undefined) }

function uploads(rig: Rig, session_id: string): string[] {
  const folder = join(rig.directory, 'workspaces', session_id, 'uploads')
  return existsSync(folder) ? readdirSync(folder).toSorted() : []
}

describe('[W5.3] attachments', () => {
  test('lie in the workspace; history says where, and the model is told', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: () => ({ text: 'I see' }) })
    const { id } = await one.create()
    await one.events(await one.send(id, note))
    await one.events(await one.send(id, note))
    expect(uploads(rig, id)).toEqual(['note-2.txt', 'note.txt'])
    expect(readFileSync(join(rig.directory, 'workspaces', id, 'uploads', 'note.txt'), 'utf8')).toBe('a note')
    const [turn] = await one.messages(id)
    expect(turn!.content_parts).toMatchObject([{ type: 'text' }, { type: 'file', path: 'uploads/note.txt' }])
    expect(one.model.requests[0]).toContain('uploads/note.txt')
    expect(one.model.requests[1]!.startsWith(one.model.requests[0]!.slice(0, -2))).toBe(true)
  })

  test.each(['not Base64!', 'QUJ', 'QUJD\n', 'QQ===', '中文', 'A'])(
    'whose data is no Base64 (%j) are refused, and nothing is stored',
    async (data) => {
      await using rig = await Rig.open()
      const one = rig.instance({ model: () => ({ text: 'I see' }) })
      const { id } = await one.create()
      const sent = one.send(id, [{ type: 'file', name: 'a.txt', data }])
      if (data === 'QUJ') await sent // unpadded is Base64 too
      else await expect(sent).rejects.toMatchObject({ code: 'invalid_payload' })
      expect(uploads(rig, id)).toEqual(data === 'QUJ' ? ['a.txt'] : [])
    },
  )

  test('never leave the workspace, although its uploads folder is a link', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: () => ({ text: 'I see' }) })
    const { id } = await one.create()
    const outside = join(rig.directory, 'outside')
    mkdirSync(outside)
    mkdirSync(join(rig.directory, 'workspaces', id), { recursive: true })
    symlinkSync(outside, join(rig.directory, 'workspaces', id, 'uploads'))
    await expect(one.send(id, note)).rejects.toMatchObject({ code: 'invalid_path' })
    expect(readdirSync(outside)).toEqual([])
  })

  test('of a message that is refused leave nothing behind', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [{ calls: [ask()] }, busyForever] })
    const { session_id, events } = await one.chat('Hello')
    const answer = { ...choose('tc_unknown') }
    await expect(one.send(session_id, note, { askuser_answer: answer })).rejects.toMatchObject({
      code: 'ask_not_pending',
    })
    await expect(one.sessions.append(me, { session_id, message: note, client_message_id: null })).rejects.toMatchObject(
      {
        code: 'not_running',
      },
    )
    const accepted = await one.answer(session_id, choose(lastCall(events)))
    await expect(one.send(session_id, note)).rejects.toMatchObject({
      code: 'session_busy',
      details: { run_id: accepted.run_id },
    })
    expect(uploads(rig, session_id)).toEqual([])
    await one.stop(session_id)
    await one.events(accepted)
  })

  test('of a message that was accepted before are stored once', async () => {
    await using rig = await Rig.open()
    const one = rig.instance({ model: [busyForever] })
    const { id } = await one.create()
    const accepted = await one.send(id, note, { client_message_id: 'm1' })
    await one.send(id, note, { client_message_id: 'm1' })
    for (let times = 1; times <= 2; times++)
      await one.sessions.append(me, { session_id: id, message: note, client_message_id: 'a1' })
    expect(uploads(rig, id)).toEqual(['note-2.txt', 'note.txt'])
    await one.stop(id)
    await one.events(accepted)
  })
})
