import { CodeBlock } from '../../markdown/code-block.tsx'
import { useLoaded } from '../../markdown/use-loaded.ts'
import { loadViews } from './load-views.ts'

/** A Mermaid diagram; its source until what draws it is loaded. */
export function LazyDiagram({ source }: { source: string }) {
  const views = useLoaded(loadViews)
  return views ? <views.DiagramView source={source} /> : <CodeBlock code={source} language="mermaid" />
}
