import type { Skill } from './skill.ts'

const HAN = /\p{Script=Han}/u

/** How well a skill answers a search; 0: not at all. Words count by where they are found; Chinese is matched by pairs. */
export function scoreSkill(skill: Skill, query: string): number {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return 0
  const names = [skill.id, skill.name, skill.display_name.zh, skill.display_name.en].map((name) => name.toLowerCase())
  const description = skill.description.toLowerCase()
  const whole = names.includes(wanted) ? 100 : names.some((name) => name.includes(wanted)) ? 50 : 0
  const terms = termsOf(wanted)
  const parts = terms.map((term) =>
    names.some((name) => name.includes(term)) ? 10 : description.includes(term) ? 4 : 0,
  )
  const found = parts.reduce<number>((sum, part) => sum + part, 0) / Math.max(1, terms.length)
  return Math.round((whole + found) * 100) / 100
}

function termsOf(query: string): string[] {
  const words = query.split(/[\s\p{P}]+/u).filter((word) => word !== '')
  return [...new Set(words.flatMap((word) => (HAN.test(word) && word.length > 2 ? pairsOf(word) : [word])))]
}

function pairsOf(word: string): string[] {
  const letters = [...word]
  return letters.slice(1).map((letter, index) => letters[index]! + letter)
}
