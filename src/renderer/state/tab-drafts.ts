/**
 * Drafts that a tab keeps across a reload, in the browser's storage of the tab. Closing the tab
 * discards them, and so does signing out: they may have payloads.
 */
import type { z } from 'zod'

const names = ['composer', 'sandbox', 'flows'] as const
type DraftName = (typeof names)[number]

const keyOf = (name: DraftName) => `countersign.draft.${name}`

/** Returns a kept draft; null without one, or if it is of another version of the app. */
export function readDraft<T>(name: DraftName, schema: z.ZodType<T>): T | null {
  try {
    return schema.safeParse(JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '')).data ?? null
  } catch {
    return null
  }
}

/** Keeps a draft; if the storage is full or disabled, until the reload. */
export function writeDraft(name: DraftName, draft: unknown): void {
  try {
    // An older one must not come back.
    sessionStorage.removeItem(keyOf(name))
    sessionStorage.setItem(keyOf(name), JSON.stringify(draft))
  } catch {}
}

export function discardDrafts(): void {
  for (const name of names) writeDraft(name, null)
}
