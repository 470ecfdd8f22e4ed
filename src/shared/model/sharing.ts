/** A shareable capture: what is replaced in it, by kind, and what is left out. */
import { z } from 'zod'
import { counted } from '../text/english.ts'

/** Kinds of replaced values, with their plural as shown. */
export const replacedKinds = {
  id: 'IDs',
  name: 'names',
  address: 'parts of addresses',
  card: 'card digits',
  code: 'codes',
  metadata: 'metadata values',
  text: 'texts',
  url: 'URLs',
  unknown: 'unknown fields',
  chosen: 'fields you chose',
  key: 'field names',
  header: 'header values',
  'header-name': 'header names',
  path: 'paths and query values',
  note: 'notes',
} as const
export type ReplacedKind = keyof typeof replacedKinds

/** Why deliveries are left out, to complete "1 left out: …". */
export const omissions = {
  malformed: 'malformed',
  truncated: 'truncated',
  compressed: 'compressed',
  'not-json': 'not JSON',
  unproved: 'its verdict is only claimed by a file',
  unlike: "its mistake can't be repeated",
} as const
export type Omission = keyof typeof omissions

const kindNames = Object.keys(replacedKinds) as [ReplacedKind, ...ReplacedKind[]]
const omissionNames = Object.keys(omissions) as [Omission, ...Omission[]]

export const sharingReportSchema = z.object({
  replaced: z.array(z.object({ kind: z.enum(kindNames), count: z.number().int() })),
  /** Known secrets are masked. */
  examples: z.array(
    z.object({
      kind: z.enum(kindNames),
      where: z.string(),
      before: z.string(),
      after: z.string(),
    }),
  ),
  leftOut: z.array(z.object({ reason: z.enum(omissionNames), count: z.number().int() })),
})
export type SharingReport = z.infer<typeof sharingReportSchema>

export const NOTHING_SHARED: SharingReport = { replaced: [], examples: [], leftOut: [] }

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
