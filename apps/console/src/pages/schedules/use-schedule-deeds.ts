import type { ScheduledTask } from '@parley/protocol/rest'
import { useLocation } from 'wouter'
import { bringBackSchedule, deleteSchedule, hideSchedule, runSchedule, switchSchedule } from '../../data/schedules.ts'
import { routes } from '../../routes.ts'
import { showToast, showUndo } from '../../shell/toasts.tsx'
import { useWords } from '../../texts/language.ts'
import { scheduleWords } from './words.ts'

type Task = ScheduledTask | undefined

/** What can be done to a schedule, from its row, its page or the keyboard. */
export function useScheduleDeeds() {
  const words = useWords(scheduleWords)
  const [path, go] = useLocation()
  const tell = (error: unknown) => showToast((error as Error).message)
  return {
    toggle(task: Task) {
      if (task) switchSchedule(task.id, !task.enabled).catch(tell)
    },
    run(task: Task) {
      if (!task) return
      runSchedule(task.id).then(
        ({ session_id }) =>
          showToast(words.begun, { action: { label: words.openSession, run: () => go(routes.session(session_id)) } }),
        tell,
      )
    },
    remove(task: Task) {
      if (!task) return
      const { id } = task
      hideSchedule(id)
      if (path === routes.schedule(id)) go(routes.schedules)
      showUndo(words.deleted, {
        label: words.undo,
        undo: () => void bringBackSchedule(id),
        commit: () => void deleteSchedule(id).catch(tell),
      })
    },
  }
}
