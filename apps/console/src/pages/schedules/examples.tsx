import { ChevronRight } from '../../ui/icons.tsx'
import { Link } from 'wouter'
import { routes } from '../../routes.ts'
import { SheetBar } from '../../shell/frame.tsx'
import { useLanguage, useWords } from '../../texts/language.ts'
import { EXAMPLES, exampleWords } from './example-words.ts'
import { timingWords } from './timing-words.ts'
import { scheduleWords } from './words.ts'

/** Before the first schedule: what one could be, each a form that is filled in. */
export function Examples() {
  const words = useWords(exampleWords)
  const { title, new: newOne } = useWords(scheduleWords)
  const language = useLanguage()
  return (
    <>
      <SheetBar title={<span className="max-md:pl-2">{title}</span>} />
      <div className="grow overflow-y-auto">
        <div className="mx-auto flex max-w-chat flex-col gap-4 px-6 py-12 max-md:px-4 max-md:py-6">
          <h2 className="text-26 font-semibold text-balance">{words.title}</h2>
          <p className="text-15 text-muted">{words.about}</p>
          <ul className="overflow-hidden rounded-card border border-line">
            {EXAMPLES.map(({ name, cron }) => (
              <li key={name} className="border-b border-line last:border-b-0">
                <Link href={routes.newScheduleLike(name)} className="flex items-center gap-4 p-4 hover:bg-hover">
                  <span className="grow">
                    <span className="block text-14 font-medium">{words.examples[name].title}</span>
                    <span className="block text-13 text-muted">{timingWords(cron, language)}</span>
                  </span>
                  <ChevronRight size={18} className="flex-none text-muted" aria-hidden="true" />
                </Link>
              </li>
            ))}
          </ul>
          <Link
            href={routes.newSchedule}
            className="inline-flex min-h-8 w-fit items-center rounded-control bg-accent px-3 text-13 font-medium text-on-accent hover:bg-accent-hover max-md:min-h-11"
          >
            {newOne}
          </Link>
        </div>
      </div>
    </>
  )
}
