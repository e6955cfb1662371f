import { useSearchParams } from 'wouter'

export const PANELS = ['files', 'tasks'] as const
export type PanelName = (typeof PANELS)[number]

/** What stands beside the conversation; the address says it. */
export function usePanel() {
  const [params, setParams] = useSearchParams()
  const panel = PANELS.find((name) => name === params.get('panel'))
  const show = (name: PanelName | null, file = '') => {
    const next = new URLSearchParams(params)
    next.delete('panel')
    next.delete('file')
    if (name) next.set('panel', name)
    if (file) next.set('file', file)
    setParams(next)
  }
  return { panel, file: params.get('file') ?? '', show }
}
