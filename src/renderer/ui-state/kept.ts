/** JSON values in the browser's storage, for the window or for one tab. */
import type { z } from 'zod'

type StorageName = 'localStorage' | 'sessionStorage'

/** Returns a kept value; null without one, or if it is of another version of the app. */
export function readKept<T>(storage: StorageName, key: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.safeParse(JSON.parse(globalThis[storage].getItem(key) ?? '')).data ?? null
  } catch {
    return null
  }
}

/** Keeps a value; if the storage is full or disabled, only until the window closes. */
export function keep(storage: StorageName, key: string, value: unknown): void {
  try {
    // An older one must not come back.
    globalThis[storage].removeItem(key)
    globalThis[storage].setItem(key, JSON.stringify(value))
  } catch {}
}
