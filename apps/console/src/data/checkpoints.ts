import { isUserMessage, type TurnProjection } from '@parley/protocol'
import type { Rewound } from '@parley/protocol/rest'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'
import { rereadFiles } from './workspace.ts'

/** What going back to before a message would undo. */
export type WayBack = {
  checkpoint_id: string
  /** Own messages from this one on; their answers go with them. */
  messages: number
  /** Those that the agent wrote by name since then. */
  files: readonly string[]
  /** Commands that ran since then: they may have changed more. */
  commands: number
}

export const wayBackQuery = (id: string, turn_id: string) =>
  queryOptions({
    queryKey: ['way-back', id, turn_id],
    queryFn: async ({ signal }): Promise<WayBack | null> => {
      const [checkpoints, turns] = await Promise.all([
        client.sessions.checkpoints(id, { signal }),
        client.api.get<TurnProjection[]>(`/api/sessions/${encodeURIComponent(id)}/messages`, { signal }),
      ])
      const checkpoint = checkpoints.find((one) => one.turn_id === turn_id && one.active)
      return checkpoint ? { checkpoint_id: checkpoint.checkpoint_id, ...undoneBy(turns, turn_id) } : null
    },
    staleTime: 0,
    gcTime: 0,
  })

/** Waits for the server: nothing is taken back before it has happened. */
export async function goBack(id: string, checkpoint_id: string, withFiles: boolean): Promise<Rewound> {
  const rewound = await client.sessions.rewind(id, checkpoint_id, withFiles ? 'both' : 'conversation')
  void rereadFiles(id)
  void queryClient.invalidateQueries({ queryKey: ['session', id] })
  return rewound
}

function undoneBy(turns: readonly TurnProjection[], turn_id: string): Omit<WayBack, 'checkpoint_id'> {
  const undone = turns.slice(turns.findIndex((turn) => turn.turn_id === turn_id))
  const calls = undone.flatMap(({ tool_calls }) => tool_calls)
  const written = calls.filter(({ tool_name, status }) => /^(Write|Edit)$/.test(tool_name) && status === 'done')
  return {
    messages: undone.filter(isUserMessage).length,
    files: [...new Set(written.flatMap((call) => pathIn(call.arguments)))],
    commands: calls.filter(({ tool_name }) => tool_name === 'Bash').length,
  }
}

function pathIn(given: string): string[] {
  try {
    const { file_path } = JSON.parse(given) as { file_path?: unknown }
    return typeof file_path === 'string' ? [file_path] : []
  } catch {
    return []
  }
}
