/** Texts and bytes as words of a POSIX shell. */

/** One word, whatever is in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** One word whose characters are bytes (Latin-1): those beyond ASCII by number, since a shell's own text may be in any encoding. */
export function shellBytes(latin1: string): string {
  if (/^[\x20-\x7e]*$/.test(latin1)) return shellWord(latin1)
  const escaped = latin1.replace(/[\\%']|[^\x20-\x7e]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return `"$(printf '${escaped}')"`
}
