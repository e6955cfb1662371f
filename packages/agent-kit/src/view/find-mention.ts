import type { SkillSummary } from '@parley/protocol'

export type Mention = { sign: '/' | '@'; start: number; end: number; query: string }

const SHOWN = 8

/** What is being written at the caret: `/` at the start of the text or `@` after a blank, and the name so far. */
export function findMention(text: string, caret: number): Mention | null {
  const [, blank = '', sign, query = ''] = /(^|\s)([/@])([\p{L}\p{N}_./-]*)$/u.exec(text.slice(0, caret)) ?? []
  if (sign !== '/' && sign !== '@') return null
  const start = caret - query.length - 1
  if (sign === '/' && (start !== 0 || blank !== '')) return null
  return { sign, start, end: caret, query: query.toLowerCase() }
}

/** The skills whose name or title has the query in it, those that begin with it first. */
export function matchingSkills(skills: readonly SkillSummary[], query: string): SkillSummary[] {
  const rank = ({ name, display_name }: SkillSummary) => {
    const places = [name, display_name].map((word) => word.toLowerCase().indexOf(query)).filter((at) => at >= 0)
    return places.length === 0 ? Infinity : Math.min(...places)
  }
  return skills
    .map((skill) => ({ skill, place: rank(skill) }))
    .filter(({ place }) => place < Infinity)
    .sort((a, b) => a.place - b.place)
    .slice(0, SHOWN)
    .map(({ skill }) => skill)
}

/** The text with the mention written out. */
export function insertMention(text: string, { sign, start, end }: Mention, skill: SkillSummary): string {
  return `${text.slice(0, start)}${sign}${skill.name} ${text.slice(end).trimStart()}`
}
