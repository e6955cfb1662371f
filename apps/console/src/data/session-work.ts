import type { BackgroundTask } from '@parley/protocol'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

export type CommandRecord = BackgroundTask & { failure?: string }
export type CommandOutput = CommandRecord & { output: string; truncated: boolean }

const at = (id: string, rest = '') => `/api/sessions/${encodeURIComponent(id)}/background-tasks${rest}`

/** What the agent has set out to do. */
export const tasksQuery = (id: string) =>
  queryOptions({ queryKey: ['tasks', id], queryFn: () => client.sessions.getSessionTasks(id) })

/** Commands that go on beside the conversation, the newest first. */
export const commandsQuery = (id: string) =>
  queryOptions({
    queryKey: ['commands', id],
    queryFn: async () => (await client.api.get<CommandRecord[]>(at(id))).toReversed(),
  })

export const commandOutputQuery = (id: string, task: string) =>
  queryOptions({
    queryKey: ['commands', id, task],
    queryFn: () => client.api.get<CommandOutput>(at(id, `/${encodeURIComponent(task)}`)),
  })

export const rereadCommands = (id: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['commands', id] })

export async function stopCommand(id: string, task: string): Promise<void> {
  await client.api.post(at(id, `/${encodeURIComponent(task)}/stop`))
  await rereadCommands(id)
}
