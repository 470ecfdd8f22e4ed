/** Names and values in two columns. */
import type { ReactNode } from 'react'

export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[128px_minmax(0,1fr)] @max-[480px]:grid-cols-[88px_minmax(0,1fr)]">
      {children}
    </dl>
  )
}

export function Fact({
  name,
  children,
  note,
}: {
  readonly name: string
  readonly children: ReactNode
  /** A second, quieter line. */
  readonly note?: ReactNode
}) {
  return (
    <>
      <dt className="border-b border-line/50 py-1.5 text-small leading-5 text-subtle">{name}</dt>
      <dd className="min-w-0 border-b border-line/50 py-1.5 wrap-anywhere">
        {children}
        {note !== undefined && <p className="text-small text-subtle">{note}</p>}
      </dd>
    </>
  )
}

/** A sentence instead of a missing value. */
export function Quiet({ children }: { readonly children: ReactNode }) {
  return <p className="px-5 py-3 text-muted">{children}</p>
}
