import { expect, test } from 'vitest'
import { FOLLOW, type FollowEvent, type FollowState, nextFollow } from './follow-machine.ts'

function walk(...events: FollowEvent[]): { state: FollowState; effects: string[] } {
  const effects: string[] = []
  let state: FollowState = 'idle'
  for (const event of events) {
    const step = nextFollow(state, event)
    state = step.state
    if (step.effect) effects.push(step.effect)
  }
  return { state, effects }
}

test('a new session is subscribed first and read second, so that nothing falls in between', () => {
  expect(walk('follow', 'behind', 'loaded')).toEqual({ state: 'live', effects: ['subscribe', 'load'] })
})

test('[W10.15] after a loss it subscribes again, and reads nothing when the events were still held', () => {
  expect(walk('follow', 'behind', 'loaded', 'lost', 'caughtUp').effects).toEqual(['subscribe', 'load', 'subscribe'])
})

test('[W8] a gap while live reads the history', () => {
  expect(walk('follow', 'caughtUp', 'gap')).toEqual({ state: 'loading', effects: ['subscribe', 'load'] })
})

test('a gap while the history is being read does not read it twice', () => {
  expect(walk('follow', 'behind', 'gap').effects).toEqual(['subscribe', 'load'])
})

test('what failed for now is tried later, what was refused is not', () => {
  expect(walk('follow', 'failed').effects).toEqual(['subscribe', 'subscribeLater'])
  expect(walk('follow', 'behind', 'failed').effects).toEqual(['subscribe', 'load', 'loadLater'])
  expect(walk('follow', 'refused', 'failed', 'lost')).toEqual({ state: 'gone', effects: ['subscribe'] })
})

test('the application’s own subscription is followed without a second one', () => {
  expect(walk('adopt', 'caughtUp')).toEqual({ state: 'live', effects: [] })
  expect(walk('adopt', 'lost').effects).toEqual(['subscribe'])
})

test.each(['subscribing', 'loading', 'live'] as const)('%s: releasing unsubscribes', (state) => {
  expect(FOLLOW[state].release).toEqual({ state: 'idle', effect: 'unsubscribe' })
})
