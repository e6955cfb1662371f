import { expect, test } from 'vitest'
import { bySession, withList } from './by-session.ts'

test('[W14.5] a session without a list has the same empty one every time', () => {
  const lists = bySession<string>()
  expect(lists['sess_1']).toEqual([])
  expect(lists['sess_1']).toBe(bySession()['sess_2'])
})

test('[W14.5] a list is put in and, once it is empty, forgotten; the others stay the same', () => {
  const one = withList(withList(bySession<string>(), 'sess_1', ['a']), 'sess_2', ['b'])
  expect(one['sess_1']).toEqual(['a'])
  const none = withList(one, 'sess_1', [])
  expect(Object.keys(none)).toEqual(['sess_2'])
  expect(none['sess_2']).toBe(one['sess_2'])
  expect(none['sess_1']).toBe(bySession()['sess_1'])
})
