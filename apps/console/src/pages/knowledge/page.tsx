import { useQuery } from '@tanstack/react-query'
import { Plus } from '../../ui/icons.tsx'
import { type ReactNode, useState } from 'react'
import { useParams, useSearchParams } from 'wouter'
import { importFiles } from '../../data/imports.ts'
import { collectionsQuery, DEFAULT_COLLECTION } from '../../data/knowledge.ts'
import { routes } from '../../routes.ts'
import { Frame, SheetBar } from '../../shell/frame.tsx'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { DropZone, pickFiles } from '../../ui/drop-zone.tsx'
import { Empty } from '../../ui/states.tsx'
import { CollectionList } from './collection-list.tsx'
import { CollectionMenu } from './collection-menu.tsx'
import { DocumentList } from './document-list.tsx'
import { NewCollection } from './new-collection.tsx'
import { SearchAsAgent } from './search-as-agent.tsx'
import { knowledgeWords } from './words.ts'

const TABS = ['documents', 'search'] as const
type Tab = (typeof TABS)[number]
/** What the server can read. */
const READABLE = '.md,.markdown,.txt,.html,.htm,.pdf'

/** Documents that answers come from: `/knowledge` has all of them, below it each collection. */
export function Page() {
  const words = useWords(knowledgeWords)
  const { collection = '' } = useParams<{ collection?: string }>()
  const [params, setParams] = useSearchParams()
  const [isMaking, setMaking] = useState(false)
  const { data: collections } = useQuery(collectionsQuery)
  const tab: Tab = params.get('tab') === 'search' ? 'search' : 'documents'
  const show = (name: Tab) =>
    setParams({ ...(collection === '' && { all: '1' }), ...(name === 'search' && { tab: name }) }, { replace: true })
  const add = (files: readonly File[]) => {
    show('documents')
    importFiles(collection || DEFAULT_COLLECTION, files)
  }
  useShortcuts({ 'Alt+1': () => show('documents'), 'Alt+2': () => show('search'), n: () => setMaking(true) })
  const known = collections?.find(({ name }) => name === collection)
  const isGone = collection !== '' && collections !== undefined && known === undefined
  return (
    <Frame
      list={<CollectionList current={collection} onNew={() => setMaking(true)} />}
      shows={collection || params.has('tab') || params.has('all') ? 'sheet' : 'list'}
    >
      <SheetBar back={routes.knowledge} title={<h2 className="truncate">{collection || words.all}</h2>}>
        {known ? <CollectionMenu collection={known} /> : null}
        <Button
          kind="primary"
          disabled={isGone}
          onClick={() => void pickFiles(READABLE).then((files) => files.length > 0 && add(files))}
        >
          <Plus size={16} />
          {words.add}
        </Button>
      </SheetBar>
      {isGone ? (
        <Empty title={words.gone} />
      ) : (
        <DropZone
          label={words.dropHere(collection || words.defaultName)}
          onFiles={add}
          className="flex min-h-0 grow flex-col"
        >
          <Tabs tab={tab} onShow={show} />
          {known ? <WhoFinds agents={known.agents} subjects={known.subjects} /> : null}
          {tab === 'search' ? <SearchAsAgent collection={collection} /> : <DocumentList collection={collection} />}
        </DropZone>
      )}
      {isMaking ? <NewCollection onClose={() => setMaking(false)} /> : null}
    </Frame>
  )
}

function Tabs({ tab, onShow }: { tab: Tab; onShow: (tab: Tab) => void }): ReactNode {
  const words = useWords(knowledgeWords)
  return (
    <div role="tablist" aria-label={words.title} className="flex flex-none gap-4 border-b border-line px-5 max-md:px-4">
      {TABS.map((name, index) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === tab}
          title={`${words.tabs[name]} (Alt ${index + 1})`}
          onClick={() => onShow(name)}
          className="min-h-11 border-b-2 border-transparent text-13 text-muted hover:text-text aria-selected:border-accent aria-selected:font-medium aria-selected:text-text"
        >
          {words.tabs[name]}
        </button>
      ))}
    </div>
  )
}

/** A collection may be for some agents, or for some of a product's visitors. */
function WhoFinds({ agents, subjects }: { agents: readonly string[] | null; subjects: readonly string[] | null }) {
  const words = useWords(knowledgeWords)
  if (!agents && !subjects) return null
  return (
    <p className="flex-none border-b border-line bg-raised px-5 py-2 text-12 text-muted max-md:px-4">
      {agents ? `${words.onlyAgents(agents)} ` : ''}
      {subjects ? words.onlySubjects(subjects) : ''}
    </p>
  )
}
