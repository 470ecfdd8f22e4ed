import { useRef, useState, type DragEvent, type ReactNode } from 'react'
import type { FileKind } from '../../shared/model/file-kind.ts'
import { useAppParts } from '../ui-state/use-app.ts'
import { acceptedExtensions, browserFile, type UserFile } from '../ui-state/user-file.ts'
import { Button, type ButtonProps } from '../ui/button.tsx'

interface FileButtonProps extends Pick<
  ButtonProps,
  'kind' | 'icon' | 'title' | 'className' | 'children'
> {
  readonly file: FileKind
  readonly label: string
  readonly onFile: (file: UserFile) => void
  /** Called in a browser in place of the file input. */
  readonly pick?: (() => void) | undefined
}

/** Asks for a file with the system's dialog on the desktop, and with a file input in a browser. */
export function FileButton({ file, label, onFile, pick, ...button }: FileButtonProps) {
  const { choose, notOpened } = useAppParts((state) => ({
    choose: state.files.choose,
    notOpened: state.files.notOpened,
  }))
  const input = useRef<HTMLInputElement>(null)
  const ask = () => {
    if (choose !== null)
      choose(file).then((chosenFile) => {
        if (chosenFile !== null) onFile(chosenFile)
      }, notOpened)
    else if (pick !== undefined) pick()
    else input.current?.click()
  }
  return (
    <>
      <Button {...button} onClick={ask} />
      <input
        ref={input}
        type="file"
        accept={acceptedExtensions(file)}
        aria-label={label}
        tabIndex={-1}
        className="hidden"
        onChange={({ currentTarget }) => {
          const chosenFile = currentTarget.files?.[0]
          // Allows the same file to be chosen again after fixing it.
          currentTarget.value = ''
          if (chosenFile !== undefined) onFile(browserFile(chosenFile))
        }}
      />
    </>
  )
}

/** Accepts files dropped anywhere on its content, and shows a hint while one is dragged over it. */
export function FileDrop({
  words,
  onDrop,
  children,
}: {
  /** Sentence on what dropping a file does. */
  readonly words: string
  /** Called during the drop event, because the files can be read only then. */
  readonly onDrop: (data: DataTransfer) => void
  readonly children: ReactNode
}) {
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
        <div className="pointer-events-none absolute inset-0 z-20 bg-ground/90 p-2">
          <p className="flex h-full items-center justify-center rounded-control border border-dashed border-accent text-title">
            {words}
          </p>
        </div>
      )}
    </div>
  )
}
