/** A button in the foot of the window: as flat as the words around it. */
import type { ReactNode } from 'react'

export function FootButton({ onClick, children }: { readonly onClick: () => void; readonly children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="inline-flex h-5 items-center gap-1.5 rounded-small px-1 whitespace-nowrap text-muted hover:bg-control hover:text-text"
    >
      {children}
    </button>
  )
}
