/**
 * What a replay changes of the captured request: what goes in place of its method, headers and body, and what becomes of signature
 * and timestamp. Nothing is changed by default, and the signature is made anew.
 */
import { z } from 'zod'
import { rawHeadersSchema } from './delivery.ts'
import { literalsSchema } from './literals.ts'

/** `recompute`: made at the moment of sending. `keep`: as it stands in the headers. `drop`: left out. */
export const signatureModeSchema = z.enum(['recompute', 'keep', 'drop'])
export type SignatureMode = z.infer<typeof signatureModeSchema>

/** `now`: the moment of sending. `original`: as it stands in the headers, and signed over. */
export const timestampModeSchema = z.enum(['now', 'original'])
export type TimestampMode = z.infer<typeof timestampModeSchema>

export const replayEditsSchema = z.object({
  method: z.string().min(1).max(64).nullable().default(null),
  /** All headers in place of the captured ones, in this order; those that belong to one connection cannot be among them. */
  headers: rawHeadersSchema.max(1_000).nullable().default(null),
  /** Each name takes the place of the headers of that name, or is added at the end. */
  setHeaders: rawHeadersSchema.max(100).default([]),
  /** Fields of the JSON body to set, as they are written here; all else of the body stays byte for byte. */
  set: literalsSchema.optional(),
  signature: signatureModeSchema.default('recompute'),
  timestamp: timestampModeSchema.default('now'),
})
export type ReplayEdits = z.infer<typeof replayEditsSchema>

export const NO_EDITS: ReplayEdits = replayEditsSchema.parse({})

/** What is other than captured, by name. */
export const editedPartSchema = z.enum(['method', 'headers', 'body', 'signature', 'timestamp'])
export type EditedPart = z.infer<typeof editedPartSchema>

export function editedParts(edits: ReplayEdits, hasBody: boolean): EditedPart[] {
  const parts: [EditedPart, boolean][] = [
    ['method', edits.method !== null],
    ['headers', edits.headers !== null || edits.setHeaders.length > 0],
    ['body', hasBody || edits.set !== undefined],
    ['signature', edits.signature !== 'recompute'],
    ['timestamp', edits.timestamp !== 'now'],
  ]
  return parts.flatMap(([part, is]) => (is ? [part] : []))
}
