/** Files from the user: chosen through a button, or dropped. */
import { useState, type DragEvent, type ReactNode, type RefObject } from 'react'

export interface FileInputProps {
  readonly ref: RefObject<HTMLInputElement | null>
  readonly label: string
  /** Endings and media types, as the attribute takes them. */
  readonly accept: string
  readonly onFile: (file: File) => void
}

export function FileInput({ ref, label, accept, onFile }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      accept={accept}
      aria-label={label}
      tabIndex={-1}
      className="hidden"
      onChange={({ currentTarget }) => {
        const file = currentTarget.files?.[0]
        // The same file can be chosen again once it was mended.
        currentTarget.value = ''
        if (file !== undefined) onFile(file)
      }}
    />
  )
}

interface FileDropProps {
  /** What dropping does, as a sentence. */
  readonly words: string
  /** Called while the event goes on: what was dropped can be read only then. */
  readonly onDrop: (data: DataTransfer) => void
  readonly children: ReactNode
}

/** Takes a file that is dropped anywhere on what it holds, and says so while one hangs over it. */
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
