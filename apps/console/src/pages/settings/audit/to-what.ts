import type { AuditRecord } from '@parley/protocol/rest'
import { routes } from '../../../routes.ts'

/** What something was done to, in words, and where that can be seen. */
export type ToWhat = { text: string; href?: string }

/** `reader`: whose keys and schedules the reader's pages show. */
export function toWhat(record: AuditRecord, reader: string | undefined): ToWhat {
  const { action, subject, detail, session_id, run_id, actor } = record
  const isOwn = actor === reader
  const inSession = session_id && (run_id ? routes.run(session_id, run_id) : routes.session(session_id))
  switch (action.slice(0, action.indexOf('.'))) {
    case 'confirmation':
      return linked(firstWord(detail) || subject, inSession)
    case 'tool':
      return action === 'tool.run'
        ? linked(detail?.split(' in ')[0] || subject, inSession)
        : linked(subject, routes.tool(subject))
    case 'share':
      return linked(session_id ?? subject, inSession)
    case 'http_tool':
      return linked(subject, action.endsWith('delete') ? null : routes.tool(subject))
    case 'mcp_server':
      return linked(subject, routes.mcpServer(subject))
    case 'api_key':
      return linked(detail || subject, isOwn && !action.endsWith('revoke') ? routes.settings('keys') : null)
    case 'user':
      return linked(personIn(record), action === 'user.remove' ? null : routes.settings('users'))
    case 'schedule':
      return linked(detail || subject, isOwn && !action.endsWith('delete') ? routes.schedule(subject) : null)
    case 'model':
    case 'model_config':
      return linked(subject, routes.settings('models'))
    case 'auth':
      // Of a sign-in there is nothing to see, but of a product's own one there is a name.
      return { text: detail || '–' }
    default:
      return { text: detail ? `${subject} ${detail}` : subject }
  }
}

function linked(text: string, href: string | null): ToWhat {
  return href ? { text, href } : { text }
}

/** An invitation has its role before the name; a new role has no name at all. */
function personIn({ action, subject, detail }: AuditRecord): string {
  if (action === 'user.invite') return detail?.split(' ').slice(1).join(' ') || subject
  return detail || subject
}

/** The others are a digest. */
const firstWord = (detail: string | null) => detail?.split(' ')[0] ?? ''
