import { expect, test } from 'vitest'
import { styledLetters } from './styled-letters.ts'

test.each([
  ['RQx1', 'double-struck', 'ℝℚ𝕩𝟙'],
  ['LAe', 'script', 'ℒ𝒜ℯ'],
  ['Cg', 'fraktur', 'ℭ𝔤'],
  ['Ax0', 'bold', '𝐀𝐱𝟎'],
  ['xα', 'bold-italic', '𝒙α'],
  ['x+1', 'normal', 'x+1'],
  ['x', 'constructor', 'x'],
])('[K16.1] %s in the style %s is %s', (text, style, expected) => expect(styledLetters(text, style)).toBe(expected))
