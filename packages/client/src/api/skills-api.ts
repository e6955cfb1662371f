import type { SkillSummary } from '@parley/protocol'
import type { Rest } from '../rest/rest.ts'

export type SkillUpload = { name: string; files: { path: string; content: string }[] }

export type UploadedSkill = {
  name: string
  skill_dir: string
  file_count: number
  overwritten: boolean
  /** The functions of its `tools.py`, by the names that the model calls them by. */
  tools?: { name: string; description: string }[]
  /** Why its `tools.py` cannot be used. */
  tools_problem?: string
}

export type SkillsApi = {
  uploadSessionSkill(session_id: string, skill: SkillUpload): Promise<UploadedSkill>
  listSessionSkills(session_id: string): Promise<SkillSummary[]>
  getSkillStats(session_id: string): Promise<unknown>
  resyncSkills(session_id: string): Promise<{ detail: string; skills: SkillSummary[] }>
  listSkills(): Promise<SkillSummary[]>
  searchSkills(q: string, limit?: number): Promise<{ results: (SkillSummary & { score: number })[] }>
  /** Ids may contain `/`. */
  getSkill(
    skill_id: string,
  ): Promise<SkillSummary & { content: string; files: string[]; tools: { name: string; description: string }[] }>
}

export function createSkillsApi(rest: Rest): SkillsApi {
  const path = (session_id: string, route: string) => `/api/sessions/${encodeURIComponent(session_id)}/${route}`
  return {
    uploadSessionSkill: (id, skill) => rest.post(path(id, 'skills:upload'), skill),
    listSessionSkills: (id) => rest.get(path(id, 'skills')),
    getSkillStats: (id) => rest.get(path(id, 'skill-stats')),
    resyncSkills: (id) => rest.post(path(id, 'skills:resync')),
    listSkills: () => rest.get('/api/skills'),
    searchSkills: (q, limit) => rest.get('/api/skills/search', { query: { q, limit } }),
    getSkill: (skill_id) => rest.get(`/api/skills/${skill_id.split('/').map(encodeURIComponent).join('/')}`),
  }
}
