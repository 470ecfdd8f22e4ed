/** Words of a POSIX shell. */

/** Writes an argument, quoted only if it has to be. */
export function shellArgument(text: string): string {
  return /^[\w@:./=[\]-]+$/.test(text) ? text : shellWord(text)
}

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Quotes bytes (as Latin-1), with octal escapes beyond ASCII. */
export function shellBytes(latin1: string): string {
  if (/^[\x20-\x7e]*$/.test(latin1)) return shellWord(latin1)
  const escaped = latin1.replace(
    /[\\%']|[^\x20-\x7e]/g,
    (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return `"$(printf '${escaped}')"`
}
