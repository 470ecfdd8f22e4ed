/** Escapes as in C, JavaScript and Python: `\n`, `\x41`, `\u0041`. */

export const escapeLetters: Readonly<Record<string, string>> = {
  0: '\0',
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
  E: '\x1b',
}

/**
 * Decodes an escape, or several of `\u`; null if unknown.
 * @param literals characters that stand for themselves
 */
export function decodeEscape(escape: string, literals: string): string | null {
  if (/^\\u[^]/i.test(escape))
    return escape
      .split(/\\u/i)
      .slice(1)
      .map((code) => characterOf(Number.parseInt(code, 16)))
      .join('')
  const hex = /^\\x([^]+)/.exec(escape)?.[1]
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
  const letter = escape.slice(1)
  return escapeLetters[letter] ?? (literals.includes(letter) ? letter : null)
}

/** Returns the character of a code point; nothing beyond Unicode. */
export function characterOf(point: number): string {
  return point > 0x10ffff ? '' : String.fromCodePoint(point)
}
