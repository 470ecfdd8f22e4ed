/** What a file is for, by its name: the same rule for files that the system opens and for files dropped on the window. */

export type FileKind = 'capture' | 'flow'

/** Extensions without the dot. An HTTP archive can't be imported, and the import says so. */
export const FILE_EXTENSIONS: Readonly<Record<FileKind, readonly string[]>> = {
  capture: ['jsonl', 'ndjson', 'har'],
  flow: ['json'],
}

/** Null for a name that says neither. */
export function fileKindOf(name: string): FileKind | null {
  const extension = /\.([^./\\]+)$/.exec(name.toLowerCase())?.[1] ?? ''
  if (FILE_EXTENSIONS.capture.includes(extension)) return 'capture'
  return FILE_EXTENSIONS.flow.includes(extension) ? 'flow' : null
}
