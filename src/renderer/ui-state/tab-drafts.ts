/**
 * Drafts that a tab keeps across a reload; closing it or signing out discards them, because they
 * may have payloads.
 */
import type { z } from 'zod'
import { writeStored, readStored } from './browser-storage.ts'

const names = ['composer', 'sandbox', 'flows'] as const
type DraftName = (typeof names)[number]

const keyOf = (name: DraftName) => `countersign.draft.${name}`

export function readDraft<T>(name: DraftName, schema: z.ZodType<T>): T | null {
  return readStored('sessionStorage', keyOf(name), schema)
}

export function writeDraft(name: DraftName, draft: unknown): void {
  writeStored('sessionStorage', keyOf(name), draft)
}

export function discardDrafts(): void {
  for (const name of names) writeDraft(name, null)
}
