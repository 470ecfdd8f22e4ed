/** JSON values in the browser's storage, for the window or for one tab. */
import type { z } from 'zod'

type StorageName = 'localStorage' | 'sessionStorage'

/** Returns a stored value; null if it is missing or of another version of the app. */
export function readStored<T>(storage: StorageName, key: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.safeParse(JSON.parse(globalThis[storage].getItem(key) ?? '')).data ?? null
  } catch {
    return null
  }
}

/** Stores a value; if the storage is full or disabled, it is lost when the window closes. */
export function writeStored(storage: StorageName, key: string, value: unknown): void {
  try {
    // Removed first: if storing fails, an older value must not come back.
    globalThis[storage].removeItem(key)
    globalThis[storage].setItem(key, JSON.stringify(value))
  } catch {}
}
