/** Counts, sizes and lists in English words. */

/** Writes `1 line`, `1,234 lines`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`
}

/** Joins words: `A`, `A or B`, `A, B, or C`. */
export function listed(words: readonly string[], last: 'and' | 'or'): string {
  return new Intl.ListFormat('en', { type: last === 'and' ? 'conjunction' : 'disjunction' }).format(
    words,
  )
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

export function byteCount(bytes: number): string {
  return counted(bytes, 'byte')
}

/** Writes `812 B`, `1.1 kB`, `14.2 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 999_950) return `${(bytes / 1_000).toFixed(1)} kB`
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}

export function deliveryCount(count: number): string {
  return counted(count, 'delivery', 'deliveries')
}

export function possibleMatchCount(count: number): string {
  return counted(count, 'possible match', 'possible matches')
}

/** Formats `412`, `12+` or `1k+`; null if the time ended first. */
export function boundedCount({ count, more }: { count: number; more: boolean }): string | null {
  if (!more) return count.toLocaleString('en')
  if (count === 0) return null
  return count >= 1_000 ? `${Math.floor(count / 1_000).toLocaleString('en')}k+` : `${count}+`
}
