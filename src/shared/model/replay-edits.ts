/**
 * Changes that a replay makes to the captured request: method, headers, body, signature and timestamp. By default only the
 * signature and timestamp are replaced.
 */
import { z } from 'zod'
import { rawHeadersSchema } from './delivery.ts'
import { typedLiteral } from '../body/json-literals.ts'

/** JSON values as typed, by path. */
export const literalsSchema = z.record(
  z.string().min(1),
  z
    .string()
    .max(100_000)
    .refine((text) => typedLiteral(text) === text, { error: 'a JSON value' }),
)

/** `recompute`: signed at the time of sending. `keep`: as in the headers. `drop`: left out. */
export const signatureModeSchema = z.enum(['recompute', 'keep', 'drop'])
export type SignatureMode = z.infer<typeof signatureModeSchema>

/** `now`: the time of sending. `original`: as in the headers, and signed. */
export const timestampModeSchema = z.enum(['now', 'original'])
export type TimestampMode = z.infer<typeof timestampModeSchema>

export const replayEditsSchema = z.object({
  method: z.string().min(1).max(64).nullable().default(null),
  /** Replaces all captured headers, in this order. Connection headers aren't allowed. */
  headers: rawHeadersSchema.max(1_000).nullable().default(null),
  /** Each one replaces the headers of the same name, or is added at the end. */
  setHeaders: rawHeadersSchema.max(100).default([]),
  /** JSON body fields to set, exactly as written here. The rest of the body stays byte for byte. */
  set: literalsSchema.optional(),
  signature: signatureModeSchema.default('recompute'),
  timestamp: timestampModeSchema.default('now'),
})
export type ReplayEdits = z.infer<typeof replayEditsSchema>

export const NO_EDITS: ReplayEdits = replayEditsSchema.parse({})

/** Names of the parts that differ from the captured request. */
export const editedPartSchema = z.enum(['method', 'headers', 'body', 'signature', 'timestamp'])
type EditedPart = z.infer<typeof editedPartSchema>

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
