/** What tells that the index is damaged: it is made anew then, and nothing else helps. */

/** Whether an error can come of a damaged file, or of one that lacks what it should have. */
export function isDamage(error: unknown): boolean {
  const { code = '', message } = error as Error & { code?: string }
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB' || /no such table|vtable constructor failed/.test(message)
}
