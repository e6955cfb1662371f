import { useFormat } from '../texts/format.ts'
import { type Catalogue, useWords } from '../texts/language.ts'

const en = {
  asOf: (time: string) => `As of ${time}.`,
  why: 'The server does not answer; nothing can be changed now.',
}
export const lastReadWords: Catalogue<typeof en> = {
  en,
  zh: { asOf: (time) => `${time} 的数据。`, why: '服务器没有回应，暂时不能改动。' },
}

/** Below what was read before the server stopped answering. */
export function LastRead({ at }: { at: number }) {
  const words = useWords(lastReadWords)
  const format = useFormat()
  return (
    <p role="status" className="flex-none border-t border-line bg-raised px-5 py-1 text-12 text-muted max-md:px-4">
      <time dateTime={new Date(at).toISOString()} title={format.absolute(at)}>
        {words.asOf(format.clock(at))}
      </time>{' '}
      {words.why}
    </p>
  )
}
