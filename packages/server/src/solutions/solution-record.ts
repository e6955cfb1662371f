import type { Role, Solution } from '@parley/protocol/rest'
import type { AgentVersion } from '../agents/agent-version.ts'
import type { DescribedRole } from '../agents/solution-settings.ts'

/** A version of a solution as clients know it; `null`: it is an agent's. */
export function toSolution({ solution, digest }: Pick<AgentVersion, 'solution' | 'digest'>): Solution | null {
  if (!solution) return null
  const { id, settings, roles } = solution
  return {
    id,
    name: settings.name,
    version: settings.version ?? '',
    description: settings.description ?? '',
    layout_type: settings.layout_type ?? 'default',
    initial_mode: settings.initial_mode ?? null,
    initial_message: settings.initial_message ?? null,
    data: settings.data ?? null,
    preview: previewOf(settings),
    roles: roles.map(toRole),
    digest,
  }
}

function toRole({ id, settings }: DescribedRole): Role {
  return {
    id,
    name: settings.name,
    description: settings.description ?? '',
    initial_mode: settings.initial_mode ?? null,
    initial_message: settings.initial_message ?? null,
    layout_type: settings.layout_type ?? null,
    preview: previewOf(settings),
  }
}

function previewOf({ preview }: Pick<DescribedRole['settings'], 'preview'>): Role['preview'] {
  return preview ? { url: preview.url, title: preview.title ?? null } : null
}
