import { useWords } from '../../texts/language.ts'
import { runWords, type ShownStatus } from './words.ts'

const LOOKS: Record<ShownStatus, string> = {
  running: 'bg-accent-soft text-on-accent-soft',
  waiting: 'bg-warning-soft text-warning',
  completed: 'bg-success-soft text-success',
  failed: 'bg-danger-soft text-danger',
  interrupted: 'bg-hover text-muted',
}

export function StatusPill({ status }: { status: ShownStatus }) {
  const words = useWords(runWords)
  return (
    <span className={`flex-none rounded-full px-2 py-1 text-12 font-medium ${LOOKS[status]}`}>
      {words.status[status]}
    </span>
  )
}

export function TakenOverPill({ count }: { count: number }) {
  const words = useWords(runWords)
  return (
    <span className="flex-none rounded-full bg-recover-soft px-2 py-1 text-12 font-medium text-recover">
      {words.takenOver(count)}
    </span>
  )
}
