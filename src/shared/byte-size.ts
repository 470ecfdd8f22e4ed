/** Sizes as they are read and typed everywhere: a kB is 1,000 bytes, in the window, on the command line and in a search. */

/** `812 B`, `1.1 kB`, `14.2 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 999_950) return `${(bytes / 1_000).toFixed(1)} kB`
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}
