import { expect, test } from 'vitest'
import { avatarSource } from './avatar.tsx'

test.each([
  ['https://a.b/c.png', 'https://a.b/c.png'],
  ['data:image/png;base64,AAAA', 'data:image/png;base64,AAAA'],
  ['A'.repeat(64), `data:image/png;base64,${'A'.repeat(64)}`],
  [
    '<svg><script>x</script></svg>',
    `data:image/svg+xml;charset=utf-8,${encodeURIComponent('<svg><script>x</script></svg>')}`,
  ],
  ['javascript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['', undefined],
])('[K12.1] an avatar %s is only ever the address of an image', (avatar, expected) =>
  expect(avatarSource(avatar)).toBe(expected),
)
