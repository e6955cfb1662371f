import { CopyButton } from '../../ui/copy-button.tsx'

/** Something to copy, whole and all of it in sight. */
export function Code({ text, label, onCopied }: { text: string; label: string; onCopied?: () => void }) {
  return (
    <div className="flex items-start rounded-card border border-line bg-raised max-md:flex-col-reverse max-md:items-stretch">
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className="min-w-0 grow p-4 font-mono text-13 wrap-anywhere whitespace-pre-wrap"
      >
        {text}
      </pre>
      <span className="flex flex-none justify-end p-2 max-md:pb-0">
        <CopyButton text={text} {...(onCopied && { onCopied })} />
      </span>
    </div>
  )
}
