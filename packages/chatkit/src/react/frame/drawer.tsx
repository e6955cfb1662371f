import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { useKit } from '../kit/kit-context.ts'
import { LazyDrawerPanel } from '../kit/lazy-views.tsx'

export type DrawerContent = {
  title: string
  content: ReactNode
  /** As wide as the kit, for what is looked at closely. */
  isWide?: boolean
}
type DrawerControl = { openDrawer: (content: DrawerContent) => void; closeDrawer: () => void }

const DrawerContext = createContext<DrawerControl>({ openDrawer: () => {}, closeDrawer: () => {} })
export const useDrawer = (): DrawerControl => useContext(DrawerContext)

type DrawerProviderProps = { conversation: string; theme: string; children: ReactNode }

/** Gives the parts inside it a drawer for details. It closes when `conversation` changes: what it showed is gone. */
export function DrawerProvider({ conversation, theme, children }: DrawerProviderProps) {
  const { drawerContainer, locale } = useKit().options
  const [shown, setShown] = useState<DrawerContent & { conversation: string }>()
  const openDrawer = useCallback((content: DrawerContent) => setShown({ ...content, conversation }), [conversation])
  const closeDrawer = useCallback(() => setShown(undefined), [])
  const control = useMemo(() => ({ openDrawer, closeDrawer }), [openDrawer, closeDrawer])
  const drawer = shown?.conversation === conversation ? <LazyDrawerPanel {...shown} onClose={closeDrawer} /> : null
  // Outside of the kit's root there is nothing of its look: the drawer brings it along.
  const outside = drawer && (
    <div className="ck-root ck-drawer-root" data-theme={theme} lang={locale}>
      {drawer}
    </div>
  )
  return (
    <DrawerContext.Provider value={control}>
      {children}
      {drawerContainer ? createPortal(outside, drawerContainer) : drawer}
    </DrawerContext.Provider>
  )
}
