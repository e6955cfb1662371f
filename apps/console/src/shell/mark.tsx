/** A P whose stem is the ledger rail. */
export function Mark() {
  return (
    <svg
      viewBox="0 0 24 24"
      width="28"
      height="28"
      fill="none"
      strokeWidth="2.25"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M7 4v16" className="stroke-text" />
      <path d="M7 4h6a4.5 4.5 0 0 1 0 9H7" className="stroke-accent" />
      {[4, 13, 20].map((y) => (
        <circle key={y} cx="7" cy={y} r="2" className="fill-text" />
      ))}
    </svg>
  )
}
