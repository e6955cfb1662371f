import { CopyButton } from '../../ui/copy-button.tsx'

/** Text to copy, whole. */
export function Code({ text }: { text: string }) {
  return (
    <div className="relative rounded-card border border-line bg-raised">
      <pre tabIndex={0} className="overflow-x-auto p-4 pr-28 font-mono text-13">
        {text}
      </pre>
      <span className="absolute top-2 right-2">
        <CopyButton text={text} />
      </span>
    </div>
  )
}
