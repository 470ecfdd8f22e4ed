/** Report on a shareable capture: its replaced values by kind, and omitted deliveries. */
import { z } from 'zod'
import { counted } from '../text/english.ts'

/** Kinds of replaced values, with what one is called. */
const kinds = {
  id: 'ID',
  name: 'name',
  address: 'part of an address',
  card: 'part of a card number',
  code: 'code',
  metadata: 'metadata value',
  text: 'text',
  url: 'URL',
  unknown: 'unknown field',
  chosen: 'chosen field',
  key: 'field name',
  header: 'header value',
  'header-name': 'header name',
  path: 'path',
  note: 'note',
} as const
const plurals: Readonly<Record<string, string>> = {
  address: 'parts of addresses',
  card: 'parts of card numbers',
}

/** Returns the noun for a count of a kind, such as `parts of addresses`. */
export function replacedWords({ kind, count }: SharingReport['replaced'][number]): string {
  return count === 1 ? kinds[kind] : (plurals[kind] ?? `${kinds[kind]}s`)
}

export type ReplacedKind = keyof typeof kinds

/** Why deliveries are left out, to complete "1 left out: …". */
const omissions = {
  malformed: 'malformed',
  truncated: 'truncated',
  compressed: 'compressed',
  'not-json': 'not JSON',
  unproved: 'its verdict is only claimed by a file',
  unlike: "its mistake can't be repeated",
} as const
export type Omission = keyof typeof omissions

export const replacedKinds = Object.keys(kinds) as [ReplacedKind, ...ReplacedKind[]]
const omissionNames = Object.keys(omissions) as [Omission, ...Omission[]]

export const sharingReportSchema = z.object({
  replaced: z.array(z.object({ kind: z.enum(replacedKinds), count: z.number().int() })),
  /** Known secrets are masked. */
  examples: z.array(
    z.object({
      kind: z.enum(replacedKinds),
      where: z.string(),
      before: z.string(),
      after: z.string(),
    }),
  ),
  leftOut: z.array(z.object({ reason: z.enum(omissionNames), count: z.number().int() })),
  /** Given paths that no field fits. */
  unused: z.array(z.string()),
})
export type SharingReport = z.infer<typeof sharingReportSchema>

export const NOTHING_SHARED: SharingReport = { replaced: [], examples: [], leftOut: [], unused: [] }

/** Returns `Left out 3 deliveries (2 truncated, 1 not JSON).`; null if none is. */
export function omissionText({ leftOut }: SharingReport): string | null {
  const total = leftOut.reduce((sum, { count }) => sum + count, 0)
  const reasons = leftOut.map(
    ({ reason, count }) => `${count.toLocaleString('en')} ${omissions[reason]}`,
  )
  return total === 0
    ? null
    : `Left out ${counted(total, 'delivery', 'deliveries')} (${reasons.join(', ')}).`
}
