import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { meQuery, versionQuery } from '../../data/account.ts'
import { routes } from '../../routes.ts'
import { Frame, ListBar, SheetBar } from '../../shell/frame.tsx'
import { useWords } from '../../texts/language.ts'
import { Empty } from '../../ui/states.tsx'
import { stateWords } from '../../ui/states-words.ts'
import { SECTIONS, type Section } from './sections.ts'
import { settingsWords } from './words.ts'

/** How the console looks, and how the server is set up. The column holds the sections; a phone has them above. */
export function Page() {
  const words = useWords(settingsWords)
  const states = useWords(stateWords)
  const { section: asked } = useParams<{ section: string }>()
  const section = SECTIONS.find(({ name }) => name === asked)
  const links = <Links current={section} />
  const list = (
    <>
      <ListBar title={words.title} />
      <nav aria-label={words.title} className="flex flex-col gap-px p-2 pl-0">
        {links}
      </nav>
    </>
  )
  return (
    <Frame list={list}>
      <SheetBar title={<h2>{section ? words.sections[section.name] : words.title}</h2>} />
      <nav
        aria-label={words.title}
        className="flex flex-none gap-1 overflow-x-auto border-b border-line px-2 py-1 md:hidden"
      >
        {links}
      </nav>
      <div className="grow overflow-y-auto">
        <div className="mx-auto flex max-w-form flex-col gap-6 p-6 max-md:p-4">
          {section ? <section.Content /> : <Empty title={states.gone} />}
        </div>
      </div>
    </Frame>
  )
}

function Links({ current }: { current: Section | undefined }) {
  const words = useWords(settingsWords)
  const { data: me } = useQuery(meQuery)
  const { data: version } = useQuery(versionQuery)
  const isShown = ({ needs, isForOwners }: Section) =>
    (!needs || version?.capabilities.includes(needs)) && (!isForOwners || me?.role === 'owner')
  return SECTIONS.filter(isShown).map(({ name }) => (
    <Link
      key={name}
      href={routes.settings(name)}
      aria-current={name === current?.name ? 'page' : undefined}
      className="flex min-h-[34px] flex-none items-center rounded-card px-2 text-13 hover:bg-hover aria-[current]:bg-selected aria-[current]:font-medium max-md:min-h-11 max-md:px-3"
    >
      {words.sections[name]}
    </Link>
  ))
}
