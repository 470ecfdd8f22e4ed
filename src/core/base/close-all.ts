/** Closes opened parts, the last one first, and all of them: one that fails must not keep a database or a port open. */
export type Closer = () => Promise<void> | void

/** Empties the list. Rejects with the first failure, once all were tried. */
export async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers.splice(0).toReversed()) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
