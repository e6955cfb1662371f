import { expect, test } from 'vitest'
import { secretShapeIn } from './secret-shapes.ts'

test.each([
  ['-----BEGIN RSA PRIVATE KEY-----', 'a private key'],
  ['token: github_pat_11ABCDEFG0123456789_abcdef', 'a GitHub token'],
  ['AKIAIOSFODNN7EXAMPLE', 'an AWS key'],
  ['xoxb-123456789012-abcdef', 'a Slack token'],
  ['sk-proj-abcdefghijklmnop', 'an API key'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', 'a signed token'],
  ['Authorization: Bearer abcdef0123456789abcdef', 'a bearer token'],
  ['postgres://me:hunter2@db/prod', 'an address with a password'],
  ['my wifi password is Tr0ub4dor', 'a password'],
  ['PIN: 4711', 'a password'],
  ['API key = abc-123-def', 'a password'],
  ['我的密码是 abc123', 'a password'],
  ['验证码：889977', 'a password'],
  ['卡号 6222 0212 3456 7890 123', null],
  ['5500-0000-0000-0004', 'a card number'],
  ['use aB3dE5fG7hI9jK1lM3nO5pQ7', 'a long random text'],
])('“%s” looks like %s', (text, name) => {
  expect(secretShapeIn(text)).toBe(name)
})

test.each([
  'My password manager is Bitwarden',
  'The password is rotated every 90 days',
  '密码是每90天更换一次',
  'My PIN is on a note in the drawer',
  'The order number is 20260117123456',
  'See https://docs.example.com/d/1a2B3c4D5e6F7g8H9i0J/edit',
  'The commit 88826cd6fbda4f3aac6aaebfce800cc578957bef broke it',
  'The secret of good bread is time',
  'I work at Meridian Maps; write to anna.lindqvist-berger@meridian-maps.example',
])('“%s” is harmless', (text) => {
  expect(secretShapeIn(text)).toBeNull()
})
