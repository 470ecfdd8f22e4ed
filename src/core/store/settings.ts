/** Settings: a text, often JSON, by name. */
import type { z } from 'zod'
import { columnStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'

export function readSetting(db: ReadableDb, name: string): string | null {
  return columnStatement<string>(db, 'SELECT value FROM settings WHERE name = ?').get(name) ?? null
}

export function writeSetting(db: WritableDb, setting: { name: string; value: string }): void {
  db.prepare(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  ).run(setting.name, setting.value)
}

/** Reads a JSON setting; null if it is missing, empty or unreadable. */
export async function readJsonSetting<T>(
  store: { read(job: 'setting', name: string): Promise<string | null> },
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
