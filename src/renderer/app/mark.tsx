/** The product's mark: two lines of text, countersigned. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" role="img" aria-label="Countersign" className="shrink-0">
      <rect width="32" height="32" rx="7" className="fill-accent-solid" />
      <path d="M8 11h9M8 21h16" className="stroke-on-accent" strokeWidth="2.4" strokeLinecap="round" opacity=".75" />
      <path
        d="m12.5 16 3.2 3.2L24 11"
        className="fill-none stroke-on-accent"
        strokeWidth="2.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
