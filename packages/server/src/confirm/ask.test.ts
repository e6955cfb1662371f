import { expect, test } from 'vitest'
import { confirmationQuestion, previewOf } from './ask.ts'

test.each([
  ['one argument that is text', { command: 'rm -r build' }, 'rm -r build'],
  ['one that is not', { count: 3 }, '{"count":3}'],
  ['all of several', { to: 'me', text: 'hi' }, '{"to":"me","text":"hi"}'],
  ['none', {}, '{}'],
  ['the beginning of a long one', { command: 'x'.repeat(600) }, `${'x'.repeat(500)}…`],
])('a preview hides nothing: %s', (_, given, preview) => {
  expect(previewOf(given)).toBe(preview)
})

test('the first option agrees, the second does not', () => {
  const card = {
    id: 'conf_1',
    tool_call_id: 'tc_1',
    tool_name: 'Bash',
    arguments: {},
    risk: 'high' as const,
    preview: 'rm -r build',
    digest: 'd',
    expires_at: '2026-01-01T00:00:00Z',
  }
  expect(confirmationQuestion(card, { display_name: 'Run', source_loop: null }, 'en')).toMatchObject({
    questions: [
      { options: [{ label: 'Approve', description: 'rm -r build' }, { label: 'Reject' }], multiSelect: false },
    ],
    source_loop: null,
    confirmation: card,
  })
})
