/** What a file is for, by its name: the same rule for files that the system opens and for files dropped on the window. */

/** `certificate`: a CA certificate, which is only chosen in a dialog. */
export const FILE_KINDS = ['capture', 'flow', 'certificate'] as const
export type FileKind = (typeof FILE_KINDS)[number]

/** Extensions without the dot. */
export const FILE_EXTENSIONS: Readonly<Record<FileKind, readonly string[]>> = {
  capture: ['jsonl', 'ndjson'],
  flow: ['json'],
  certificate: ['pem', 'crt', 'cer', 'cert'],
}

/** Extensions that a dialog offers: an import also reads copied requests. */
export const CHOSEN_EXTENSIONS: typeof FILE_EXTENSIONS = {
  ...FILE_EXTENSIONS,
  capture: [...FILE_EXTENSIONS.capture, 'har', 'json', 'http', 'eml', 'log', 'txt'],
}

/** What opening or dropping a file with this name does; null if the name doesn't say. */
export function fileKindOf(name: string): 'capture' | 'flow' | null {
  const extension = /\.([^./\\]+)$/.exec(name.toLowerCase())?.[1] ?? ''
  if (FILE_EXTENSIONS.capture.includes(extension)) return 'capture'
  return FILE_EXTENSIONS.flow.includes(extension) ? 'flow' : null
}
