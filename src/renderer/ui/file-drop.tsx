/** Takes a file that is dropped anywhere on what it holds, and says so while one hangs over it. */
import { useState, type DragEvent, type ReactNode } from 'react'

export interface FileDropProps {
  /** What dropping does, as a sentence. */
  readonly words: string
  /** Called while the event goes on: what was dropped can be read only then. */
  readonly onDrop: (data: DataTransfer) => void
  readonly children: ReactNode
}

export function FileDrop({ words, onDrop, children }: FileDropProps) {
  const [over, setOver] = useState(false)
  const isFile = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  return (
    <div
      className="relative h-full min-h-0 min-w-0"
      onDragOver={(event) => {
        if (!isFile(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        if (!isFile(event)) return
        event.preventDefault()
        setOver(false)
        onDrop(event.dataTransfer)
      }}
    >
      {children}
      {over && (
        <p className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center rounded-control border border-dashed border-accent bg-ground/90 text-title">
          {words}
        </p>
      )}
    </div>
  )
}
