import { expect, test } from 'vitest'
import kitStyles from '../../src/react/chatkit.css?inline'
import { withOwnRem } from '../../src/element/shadow-styles.ts'

test.each([
  ['padding: 0.5rem 1rem', 'padding: calc(0.5 * var(--ck-rem)) calc(1 * var(--ck-rem))'],
  ['margin:-.25rem', 'margin:calc(-.25 * var(--ck-rem))'],
  ['inset: calc(100% + 0.25rem)', 'inset: calc(100% + calc(0.25 * var(--ck-rem)))'],
  ['animation: premium 1s', 'animation: premium 1s'],
])('%s no longer depends on the page’s root font size', (css, expected) => {
  expect(withOwnRem(css)).toBe(expected)
})

test('no size of the kit depends on the page’s root font size', () => {
  expect(withOwnRem(kitStyles)).not.toMatch(/\drem/)
})

test('the element can be imported where there is no page', async () => {
  const { ParleyChatElement } = await import('../../src/element/parley-chat-element.ts')
  expect(ParleyChatElement.observedAttributes).toContain('server')
})
