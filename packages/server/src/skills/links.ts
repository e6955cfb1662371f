import type { Skill } from './skill.ts'

const LINK = /\[\[([^\][\n]{1,128})\]\]/g

/** A skill's text, with `[[other-skill]]` replaced by the tool to call for it, so that a model can follow the link. */
export function resolveLinks(
  from: Pick<Skill, 'id' | 'body'>,
  skills: readonly Skill[],
  toolName: (id: string) => string,
): string {
  return from.body.replaceAll(LINK, (_link, wanted: string) => {
    const other = findSkill(wanted.trim(), from, skills)
    return other
      ? `${other.display_name.en} (call the tool ${toolName(other.id)})`
      : `${wanted.trim()} (no such skill is installed)`
  })
}

/** By its id, else by its name, those of the same org first. */
function findSkill(wanted: string, { id }: Pick<Skill, 'id'>, skills: readonly Skill[]): Skill | undefined {
  const exact = skills.find((skill) => skill.id === wanted)
  if (exact) return exact
  const named = skills.filter((skill) => skill.name === wanted || lastPart(skill.id) === wanted)
  return named.find((skill) => orgOf(skill.id) === orgOf(id)) ?? named[0]
}

function lastPart(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1)
}

function orgOf(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('/')))
}
