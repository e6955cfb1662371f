import type { SessionsApi, SkillsApi } from '@parley/client'
import { registeredClient } from './registered-client.ts'

const SESSION_METHODS: Record<keyof SessionsApi, true> = {
  createSession: true,
  createSessionWithRequest: true,
  getSession: true,
  listSessions: true,
  listSessionsPaginated: true,
  updateSession: true,
  setPinned: true,
  getSeen: true,
  markSeen: true,
  deleteSession: true,
  getSessionTurns: true,
  getSessionHistory: true,
  runs: true,
  events: true,
  getSessionContextStats: true,
  getSessionTasks: true,
  setFeedback: true,
  getFeedback: true,
  listFeedback: true,
  getSuggestions: true,
  source: true,
  checkpoints: true,
  rewind: true,
  checkout: true,
  switchBranch: true,
  connect: true,
  create: true,
  uploadFiles: true,
  listDir: true,
  writeFile: true,
  renameFile: true,
  deleteFile: true,
  downloadFile: true,
  share: true,
  listShares: true,
  unshare: true,
  export: true,
  previewImport: true,
  import: true,
  setEnvironment: true,
}

const SKILL_METHODS: Record<keyof SkillsApi, true> = {
  uploadSessionSkill: true,
  listSessionSkills: true,
  getSkillStats: true,
  resyncSkills: true,
  listSkills: true,
  searchSkills: true,
  getSkill: true,
}

/** `client.sessions` of the application's client, whichever that is at the time of the call. */
export const sessionsApi: SessionsApi = shortcut(SESSION_METHODS, () => registeredClient().sessions)
/** `client.skills` of the application's client. */
export const skillsApi: SkillsApi = shortcut(SKILL_METHODS, () => registeredClient().skills)
/** The same under the name that partners' programs use. */
export const partnerSkillApi: SkillsApi = shortcut(SKILL_METHODS, () => registeredClient().skills)
/** Puts files into a session's workspace. */
export const uploadFiles: SessionsApi['uploadFiles'] = (...parameters) => sessionsApi.uploadFiles(...parameters)

type Method = (...parameters: unknown[]) => unknown

/** Real functions, not a proxy: programs take them out of the object before there is a client. */
function shortcut<Api extends object>(methods: Record<keyof Api, true>, find: () => Api): Api {
  const call =
    (name: string): Method =>
    (...parameters) =>
      (find() as Record<string, Method>)[name]?.(...parameters)
  return Object.fromEntries(Object.keys(methods).map((name) => [name, call(name)])) as Api
}
