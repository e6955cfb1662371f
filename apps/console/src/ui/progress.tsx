/** How much of something is done. */
export function Progress({ label, share }: { label: string; share: number }) {
  const percent = Math.round(share * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className="h-1 w-full overflow-hidden rounded-full bg-selected"
    >
      <div className="h-full bg-accent" style={{ inlineSize: `${percent}%` }} />
    </div>
  )
}
