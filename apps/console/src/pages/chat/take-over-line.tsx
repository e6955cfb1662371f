import { Link } from 'wouter'
import { routes } from '../../routes.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import type { TakeOver } from '../../timeline/take-overs.ts'
import { chatWords } from './words.ts'

/** Here another instance carried on; what happened then is a press away. */
export function TakeOverLine({ session_id, takeOver }: { session_id: string; takeOver: TakeOver }) {
  const words = useWords(chatWords)
  const format = useFormat()
  const { run_id, event_seq, instance, ms } = takeOver
  return (
    <p className="take-over my-3 flex items-center gap-3 text-12 text-recover">
      <span aria-hidden="true" className="h-px grow bg-recover" />
      <Link
        href={routes.run(session_id, run_id, event_seq)}
        title={words.whatHappened}
        className="max-w-[80%] truncate hover:underline"
      >
        {words.tookOver(instance, format.duration(ms))}
      </Link>
      <span aria-hidden="true" className="h-px grow bg-recover" />
    </p>
  )
}
