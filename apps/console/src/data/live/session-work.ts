import type { Task } from '@parley/protocol'
import { useEffect } from 'react'
import { client } from '../client.ts'
import { queryClient } from '../query-client.ts'
import { rereadCommands, tasksQuery } from '../session-work.ts'
import { rereadFiles } from '../workspace.ts'

type OfSession = { session_id: string }

/** Files, tasks and commands of a session, as the agent changes them. */
export function useSessionWork(id: string): void {
  useEffect(() => {
    const socket = client.socket()
    const onFiles = ({ session_id }: OfSession) => void (session_id === id && rereadFiles(id))
    const onCommand = ({ session_id }: OfSession) => void (session_id === id && rereadCommands(id))
    const onTasks = ({ session_id, tasks }: OfSession & { tasks: Task[] }) => {
      if (session_id === id) queryClient.setQueryData(tasksQuery(id).queryKey, tasks)
    }
    socket.on('workspace:files_changed', onFiles)
    socket.on('bg:started', onCommand)
    socket.on('bg:ended', onCommand)
    socket.on('task:updated', onTasks)
    return () => {
      socket.off('workspace:files_changed', onFiles)
      socket.off('bg:started', onCommand)
      socket.off('bg:ended', onCommand)
      socket.off('task:updated', onTasks)
    }
  }, [id])
}
