import { Markdown } from '@parley/chatkit'
import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, Download } from '../../../ui/icons.tsx'
import { downloadAddress, fileAddress, type FileContent, fileQuery } from '../../../data/workspace.ts'
import { useFormat } from '../../../texts/format.ts'
import { useWords } from '../../../texts/language.ts'
import { useTheme } from '../../../theme/theme-choice.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Failure, Skeleton } from '../../../ui/states.tsx'
import { usePanel } from './use-panel.ts'
import { panelWords } from './words.ts'

/** One file of the session, as it is now. */
export function FileView({ id, path }: { id: string; path: string }) {
  const words = useWords(panelWords)
  const { show } = usePanel()
  const { data, error, isPending, refetch } = useQuery(fileQuery(id, path))
  return (
    <div className="flex min-h-0 grow flex-col">
      <div className="flex flex-none items-center gap-1 border-b border-line px-2 py-1">
        <IconButton label={words.allFiles} onClick={() => show('files')}>
          <ChevronLeft size={18} />
        </IconButton>
        <h2 className="min-w-0 grow truncate text-13 font-medium" title={path}>
          {path}
        </h2>
        <a
          href={downloadAddress(id, path)}
          download
          aria-label={words.download}
          title={words.download}
          className="inline-flex size-8 flex-none items-center justify-center rounded-control text-muted hover:bg-hover hover:text-text max-md:size-11"
        >
          <Download size={18} />
        </a>
      </div>
      {error && !data ? <Failure error={error} retry={() => void refetch()} /> : null}
      {isPending ? <Skeleton /> : null}
      {data ? <Content id={id} path={path} content={data} /> : null}
    </div>
  )
}

function Content({ id, path, content }: { id: string; path: string; content: FileContent }) {
  const words = useWords(panelWords)
  const format = useFormat()
  const theme = useTheme()
  if (content.kind === 'image')
    return (
      <div className="min-h-0 grow overflow-auto p-4">
        <img src={fileAddress(id, path)} alt={path} className="max-w-full rounded-inner border border-line" />
      </div>
    )
  if (content.kind === 'other')
    return <p className="p-4 text-13 text-muted">{words.notShown(format.bytes(content.size))}</p>
  const isProse = /\.(md|markdown)$/i.test(path)
  return (
    <>
      {isProse ? (
        <div tabIndex={0} data-theme={theme} className="ck-root file-prose min-h-0 grow overflow-auto p-4">
          <Markdown text={content.text} />
        </div>
      ) : (
        <pre tabIndex={0} className="min-h-0 grow overflow-auto p-4 font-mono text-12 break-words whitespace-pre-wrap">
          {content.text}
        </pre>
      )}
      {content.isCut ? (
        <p className="flex-none border-t border-line px-4 py-2 text-12 text-muted">
          {words.cut(format.bytes(content.size))}
        </p>
      ) : null}
    </>
  )
}
