/** Kinds of files by name, whether opened by the system or dropped on the window. */

/** `certificate` and `baseline` are only chosen in a dialog. */
export const FILE_KINDS = ['capture', 'flow', 'certificate', 'baseline'] as const
export type FileKind = (typeof FILE_KINDS)[number]

export const FILE_EXTENSIONS: Readonly<Record<FileKind, readonly string[]>> = {
  capture: ['jsonl', 'ndjson'],
  flow: ['json'],
  certificate: ['pem', 'crt', 'cer', 'cert'],
  baseline: ['json'],
}

export const CHOSEN_EXTENSIONS: typeof FILE_EXTENSIONS = {
  ...FILE_EXTENSIONS,
  capture: [...FILE_EXTENSIONS.capture, 'age', 'har', 'json', 'http', 'eml', 'log', 'txt'],
}

/** Returns the kind of a file to open or drop, if its name tells. */
export function fileKindOf(name: string): 'capture' | 'flow' | null {
  const extension = /\.([^./\\]+)$/.exec(name.toLowerCase())?.[1] ?? ''
  if (FILE_EXTENSIONS.capture.includes(extension)) return 'capture'
  return FILE_EXTENSIONS.flow.includes(extension) ? 'flow' : null
}
