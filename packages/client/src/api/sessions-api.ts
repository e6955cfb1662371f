import type {
  CheckedOut,
  Checkpoint,
  CreatedSession,
  CreateSession,
  Feedback,
  FeedbackPage,
  FeedbackQuery,
  FeedbackValue,
  GivenFeedback,
  RecordedEventQuery,
  RecordedEvents,
  Rewind,
  Rewound,
  RunPage,
  RunQuery,
  SeenMarks,
  SessionHistory,
  SessionPage,
  SessionQuery,
  SourcePassage,
  Suggestions,
  SwitchedBranch,
} from '@parley/protocol/rest'
import type { Session, SessionDetail, Task, TurnProjection } from '@parley/protocol'
import type { AgentSession, ConnectOptions } from '../session/agent-session.ts'
import { createFilesApi, type FilesApi } from './files-api.ts'
import { createTransferApi, type TransferApi } from './transfer-api.ts'
import type { FollowedSessions } from '../session/followed-sessions.ts'
import type { Rest } from '../rest/rest.ts'

export type SessionsApi = FilesApi &
  TransferApi & {
    /** Older programs pass `(intent, template_id, primary_skill_id)`, newer ones `(intent, options)`. */
    createSession(
      intent?: string,
      second?: Partial<CreateSession> | string | null,
      primarySkillId?: string | null,
    ): Promise<CreatedSession>
    createSessionWithRequest(request: CreateSession): Promise<CreatedSession>
    getSession(session_id: string): Promise<SessionDetail>
    /** All own sessions, pinned first, then the newest; pages are read as needed. */
    listSessions(): Promise<Session[]>
    listSessionsPaginated(query?: SessionQuery): Promise<SessionPage>
    updateSession(session_id: string, change: { intent?: string }): Promise<SessionDetail>
    /** Keeps it at the top of lists, or not. */
    setPinned(session_id: string, pinned: boolean): Promise<SessionDetail>
    /** How far this user has seen their sessions, by the number of the last event. */
    getSeen(): Promise<SeenMarks['seen']>
    /** Moves marks on, never back; those of these sessions as they are now. */
    markSeen(seen: SeenMarks['seen']): Promise<SeenMarks['seen']>
    deleteSession(session_id: string): Promise<{ deleted: boolean }>
    getSessionTurns(session_id: string): Promise<TurnProjection[]>
    /** The messages as the model gets them. */
    getSessionHistory(session_id: string): Promise<SessionHistory>
    /** The runs of a session, the newest first. */
    runs(session_id: string, query?: RunQuery, options?: { signal?: AbortSignal }): Promise<RunPage>
    /** What is on record, event by event; `next` of an answer is the `after` of the next question. */
    events(session_id: string, query?: RecordedEventQuery, options?: { signal?: AbortSignal }): Promise<RecordedEvents>
    getSessionContextStats(session_id: string): Promise<unknown>
    getSessionTasks(session_id: string): Promise<Task[]>
    /** Says what is thought of a finished answer; `null` takes it back. */
    setFeedback(
      session_id: string,
      turn_id: string,
      feedback: { value: FeedbackValue | null; comment?: string | undefined },
    ): Promise<GivenFeedback>
    /** What was said of the answers of one session. */
    getFeedback(session_id: string): Promise<Feedback[]>
    /** What was said in all sessions of the account, the newest first. */
    listFeedback(query?: FeedbackQuery): Promise<FeedbackPage>
    /** Questions to go on with after the last answer. The first time this waits for a model. */
    getSuggestions(session_id: string, options?: { signal?: AbortSignal }): Promise<Suggestions>
    /** A source that the session's messages name, in its document; `not_found` when the document is gone. */
    source(session_id: string, ref: number, options?: { signal?: AbortSignal }): Promise<SourcePassage>
    /** The moments before the user's messages, of all branches, oldest first; those with one parent are versions. */
    checkpoints(session_id: string, options?: { signal?: AbortSignal }): Promise<Checkpoint[]>
    /** Back to just before a message, with the files unless told otherwise. What came after stays, on its branch. */
    rewind(session_id: string, checkpoint_id: string, restore?: Rewind['restore']): Promise<Rewound>
    /** The conversation as it was; changes nothing. */
    checkout(session_id: string, checkpoint_id: string, position?: CheckedOut['position']): Promise<CheckedOut>
    /** Goes on with the branch that a checkpoint lies on. */
    switchBranch(session_id: string, checkpoint_id: string): Promise<SwitchedBranch>
    /** Follows a session live. Dispose of it when done. */
    connect(session_id: string, options?: ConnectOptions): AgentSession
    /** Creates a session and follows it. */
    create(request?: CreateSession): Promise<AgentSession>
  }

const PAGE = 100
const SEEN = '/api/user/preferences/seen'

export function createSessionsApi(rest: Rest, followed: FollowedSessions): SessionsApi {
  const path = (session_id: string, rest = '') => `/api/sessions/${encodeURIComponent(session_id)}${rest}`
  const createSessionWithRequest = (request: CreateSession) => rest.post<CreatedSession>('/api/sessions', request)
  const listSessionsPaginated = (query: SessionQuery = {}) =>
    rest.get<SessionPage>('/api/sessions', { query: query as Record<string, string> })

  return {
    ...createFilesApi(rest),
    ...createTransferApi(rest),
    createSessionWithRequest,
    createSession(intent = '', second = {}, primarySkillId = null) {
      if (typeof second === 'object') return createSessionWithRequest({ intent, ...second })
      return createSessionWithRequest({ intent, template_id: second, primary_skill_id: primarySkillId })
    },
    getSession: (id) => rest.get(path(id)),
    async listSessions() {
      const sessions: Session[] = []
      for (;;) {
        const { items, total } = await listSessionsPaginated({ limit: PAGE, offset: sessions.length })
        sessions.push(...items)
        if (items.length === 0 || sessions.length >= total) return sessions
      }
    },
    listSessionsPaginated,
    updateSession: (id, change) => rest.patch(path(id), change),
    setPinned: (id, pinned) => rest.patch(path(id, '/pin'), { pinned }),
    getSeen: async () => (await rest.get<SeenMarks>(SEEN)).seen,
    markSeen: async (seen) => (await rest.put<SeenMarks>(SEEN, { seen })).seen,
    deleteSession: (id) => rest.del(path(id)),
    async getSessionTurns(id) {
      const turns = await rest.get<TurnProjection[]>(path(id, '/messages'))
      followed.absorb(id, turns)
      return turns
    },
    getSessionHistory: (id) => rest.get(path(id, '/history')),
    runs: (id, query = {}, options = {}) =>
      rest.get(path(id, '/runs'), { ...options, query: query as Record<string, string> }),
    events: (id, query = {}, options = {}) =>
      rest.get(path(id, '/events'), { ...options, query: query as Record<string, string> }),
    getSessionContextStats: (id) => rest.get(path(id, '/context-stats')),
    getSessionTasks: (id) => rest.get(path(id, '/tasks')),
    setFeedback: (id, turn_id, { value, comment }) =>
      rest.put(path(id, `/messages/${encodeURIComponent(turn_id)}/feedback`), { value, ...(comment && { comment }) }),
    getFeedback: async (id) => (await rest.get<{ items: Feedback[] }>(path(id, '/feedback'))).items,
    listFeedback: (query = {}) => rest.get('/api/feedback', { query: query as Record<string, string> }),
    getSuggestions: (id, { signal } = {}) => rest.get(path(id, '/suggestions'), { ...(signal && { signal }) }),
    source: (id, ref, { signal } = {}) => rest.get(path(id, `/sources/${ref}`), { ...(signal && { signal }) }),
    checkpoints: (id, { signal } = {}) => rest.get(path(id, '/checkpoints'), { ...(signal && { signal }) }),
    rewind: (id, checkpoint_id, restore = 'both') => rest.post(path(id, '/rewind'), { checkpoint_id, restore }),
    checkout: (id, checkpoint_id, position = 'before') => rest.post(path(id, '/checkout'), { checkpoint_id, position }),
    switchBranch: (id, checkpoint_id) => rest.post(path(id, '/switch-branch'), { checkpoint_id }),
    connect: (id, options) => followed.connect(id, options),
    create: async (request = {}) => followed.connect((await createSessionWithRequest(request)).session_id),
  }
}
