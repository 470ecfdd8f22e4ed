/** The browser's own way to choose a file, out of sight: a button beside it opens it. */
import type { RefObject } from 'react'

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
