/** What tells that the index is damaged: it is made anew then, and nothing else helps. */
import { isCorrupt } from '../damaged.ts'

/** Whether an error can come of a damaged file, or of one that lacks what it should have. */
export function isDamage(error: unknown): boolean {
  return isCorrupt(error) || /no such table|vtable constructor failed/.test((error as Error).message)
}
