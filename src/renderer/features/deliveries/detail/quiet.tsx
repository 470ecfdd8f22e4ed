/** A sentence in place of what is not there. */
import type { ReactNode } from 'react'

export function Quiet({ children }: { readonly children: ReactNode }) {
  return <p className="px-5 py-3 text-muted">{children}</p>
}
