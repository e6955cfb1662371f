import type { SandboxInfo } from '@parley/protocol/rest'
import { ShieldCheck, TriangleAlert } from '../../ui/icons.tsx'
import { useWords } from '../../texts/language.ts'
import { toolWords } from './words.ts'

/** What confines commands. Without a sandbox it stands there until somebody does something about it. */
export function SandboxLine({ sandbox: { level, reason } }: { sandbox: SandboxInfo }) {
  const words = useWords(toolWords)
  const isBare = level === 'none'
  const Icon = isBare ? TriangleAlert : ShieldCheck
  return (
    <div
      data-bare={isBare || undefined}
      className="on-tint flex items-start gap-2 rounded-card border border-line bg-raised px-4 py-3 text-13 data-bare:border-transparent data-bare:bg-warning-soft data-bare:text-warning"
    >
      <Icon size={16} aria-hidden="true" className="mt-0.5 flex-none" />
      <div className="min-w-0">
        <p>{words.sandbox[level] ?? level}</p>
        {isBare ? <p>{words.sandboxRemedy}</p> : null}
        {reason ? (
          <details className="mt-1">
            <summary className="text-12">{words.sandboxWhy}</summary>
            <p className="mt-1 font-mono text-12 break-words">{reason}</p>
          </details>
        ) : null}
      </div>
    </div>
  )
}
