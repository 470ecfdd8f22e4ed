/** Settings that are stored as JSON. */
import type { z } from 'zod'
import type { Store } from './store.ts'

/** A setting's value; null if it is missing or empty, or if it doesn't match the schema: `onUnreadable` then gets the reason. */
export async function readJsonSetting<T>(
  store: Pick<Store, 'read'>,
  name: string,
  schema: z.ZodType<T>,
  onUnreadable?: (reason: string) => void,
): Promise<T | null> {
  const text = await store.read('setting', name)
  if (text === null || text === '') return null
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    onUnreadable?.((error as Error).message)
    return null
  }
}
