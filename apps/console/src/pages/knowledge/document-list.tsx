import type { DocumentEntry } from '@parley/protocol/rest'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Trash } from '../../ui/icons.tsx'
import { useImports } from '../../data/imports.ts'
import { deleteDocument, documentsQuery, hideDocument, rereadKnowledge } from '../../data/knowledge.ts'
import { showToast, showUndo } from '../../shell/toasts.tsx'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { ImportRow } from './import-row.tsx'
import { knowledgeWords } from './words.ts'

/** Documents of a collection, or of all; above them what is on its way. */
export function DocumentList({ collection }: { collection: string }) {
  const words = useWords(knowledgeWords)
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    documentsQuery(collection),
  )
  const imports = useImports().filter((each) => collection === '' || each.collection === collection)
  const documents = data?.pages.flatMap(({ items }) => items) ?? []
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />
  if (isPending) return <Skeleton rows={10} />
  if (documents.length + imports.length === 0) return <Empty title={words.noDocuments}>{words.noDocumentsText}</Empty>
  return (
    <div className="min-h-0 grow overflow-y-auto px-5 pb-6 max-md:px-4">
      {imports.length > 0 ? (
        <ul aria-label={words.onTheirWay}>
          {imports.map((each) => (
            <ImportRow key={each.id} item={each} />
          ))}
        </ul>
      ) : null}
      {documents.length > 0 ? (
        <table className="w-full table-fixed text-13">
          <thead className="text-12 text-muted max-md:sr-only">
            <tr className="h-9 text-left">
              <th className="font-medium">{words.name}</th>
              <th className="w-28 text-right font-medium">{words.characters}</th>
              <th className="w-24 text-right font-medium">{words.chunks}</th>
              <th className="w-28 pl-6 font-medium">{words.added}</th>
              <th className="w-20 font-medium">{words.state}</th>
              <th className="w-10">
                <span className="sr-only">{words.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {documents.map((document) => (
              <DocumentRow key={document.id} document={document} isCollectionShown={collection === ''} />
            ))}
          </tbody>
        </table>
      ) : null}
      {hasNextPage ? (
        <div className="pt-4 text-center">
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {words.moreDocuments}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

function DocumentRow({ document, isCollectionShown }: { document: DocumentEntry; isCollectionShown: boolean }) {
  const words = useWords(knowledgeWords)
  const format = useFormat()
  const { source, title, size, passages, updatedAt, collection } = document
  const name = source ?? title ?? words.untitled
  const added = (
    <time dateTime={updatedAt} title={format.absolute(updatedAt)}>
      {format.inList(updatedAt)}
    </time>
  )
  const remove = () => {
    hideDocument(document)
    showUndo(words.deleted(name), {
      label: words.undo,
      undo: () => void rereadKnowledge(),
      commit: () => void deleteDocument(document).catch(({ message }: Error) => showToast(message)),
    })
  }
  return (
    <tr data-document={name} className="h-11 border-t border-line max-md:first:border-t-0">
      <td className="min-w-0 py-2 pr-4">
        <span className="block truncate" title={title ?? name}>
          {name}
        </span>
        {isCollectionShown ? (
          <span className="block truncate text-12 text-muted max-md:hidden">{collection}</span>
        ) : null}
        <span className="text-12 text-muted md:hidden">
          {words.chunkCount(passages)} · {added}
        </span>
      </td>
      <td className="text-right text-muted max-md:hidden">{format.number(size)}</td>
      <td className="text-right text-muted max-md:hidden">{format.number(passages)}</td>
      <td className="pl-6 text-muted max-md:hidden">{added}</td>
      <td className="text-muted max-md:hidden">{words.ready}</td>
      <td className="w-10 text-right max-md:w-11">
        <IconButton label={words.delete(name)} onClick={remove}>
          <Trash size={16} />
        </IconButton>
      </td>
    </tr>
  )
}
