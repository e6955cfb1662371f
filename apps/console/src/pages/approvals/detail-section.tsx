import type { ReactNode } from 'react'

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-12 font-medium text-muted">{title}</h3>
      {children}
    </section>
  )
}

export function Body({ children }: { children: ReactNode }) {
  return (
    <div tabIndex={0} className="min-h-0 grow overflow-y-auto px-6 max-md:px-4">
      <div className="mx-auto flex max-w-form flex-col gap-6 py-6 max-md:py-4">{children}</div>
    </div>
  )
}
