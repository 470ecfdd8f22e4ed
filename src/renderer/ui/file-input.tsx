/** File input: chosen with a button, or dropped. */
import { useState, type DragEvent, type ReactNode, type RefObject } from 'react'

export interface FileInputProps {
  readonly ref: RefObject<HTMLInputElement | null>
  readonly label: string
  /** File extensions and media types, as in the `accept` attribute. */
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
        // Allows the same file to be chosen again after fixing it.
        currentTarget.value = ''
        if (file !== undefined) onFile(file)
      }}
    />
  )
}

interface FileDropProps {
  /** What dropping a file does, as a sentence. */
  readonly words: string
  /** Called during the drop event, because the files can be read only then. */
  readonly onDrop: (data: DataTransfer) => void
  readonly children: ReactNode
}

/** Accepts files dropped anywhere on its content, and shows a hint while one is dragged over it. */
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
