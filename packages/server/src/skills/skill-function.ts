import type { JsonObject } from '../ports.ts'

/** Something that a skill brings along and a model can call. */
export type SkillFunction = { name: string; description: string; input: JsonObject }

/** `problem`: why some are missing though there is a file for them; lines that begin with its path. */
export type SkillFunctions<One extends SkillFunction = SkillFunction> = { functions: One[]; problem?: string }
