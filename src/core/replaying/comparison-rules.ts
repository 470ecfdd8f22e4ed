/** Objections to a comparison, raised before the first request. */
import { AppError } from '../../shared/contract/errors.ts'
import { editedParts, isForged } from '../../shared/model/replay-edits.ts'
import { readTarget } from '../outgoing/targets.ts'
import type { Baseline } from '../../shared/model/run-comparison.ts'
import type { ComparisonSettings, ReplaySettings } from '../../shared/model/send.ts'

const refuse = (message: string) => new AppError('INVALID_INPUT', message)

interface Compared extends Omit<ReplaySettings, 'comparison' | 'query'> {
  readonly comparison: ComparisonSettings
  readonly hasBody: boolean
}

/** Throws `INVALID_INPUT` if the settings can't be compared. */
export function checkComparison({
  comparison,
  to,
  tamper,
  edits,
  repeat,
  hasBody,
}: Compared): void {
  if (isForged({ tamper, edited: editedParts(edits, hasBody) }))
    throw refuse(
      'A comparison sends valid requests, so it takes no forged ones. Leave out --tamper, --signature and --timestamp.',
    )
  if (repeat > 1) throw refuse('A comparison sends each delivery once. Leave out --repeat.')
  if (to === null)
    throw refuse(
      'A comparison needs one endpoint. Name it with --to, or save a handler and make it the current one.',
    )
  if (comparison.other !== null && readTarget(comparison.other.to).href === new URL(to).href)
    throw refuse(
      `Both sides are ${to}. Compare two endpoints, or compare with "previous" or a baseline.`,
    )
}

/** Throws `INVALID_INPUT` if a baseline lacks one of the headers to compare. */
export function checkBaselineHeaders(baseline: Baseline, headers: readonly string[]): void {
  const saved = baseline.headers.map((name) => name.toLowerCase())
  const missing = headers.find((name) => !saved.includes(name.toLowerCase()))
  if (missing === undefined) return
  throw refuse(
    `The baseline was saved without the header ${missing}. Save it again with --header-in ${missing}.`,
  )
}

/** Throws `INVALID_INPUT` if a delivery is listed twice. */
export function checkListedOnce(seqs: readonly number[], refs: readonly string[]): void {
  const lastPlaces = new Map(seqs.map((seq, place) => [seq, place]))
  const repeated = refs.find((_, place) => lastPlaces.get(seqs[place] ?? 0) !== place)
  if (repeated !== undefined)
    throw refuse(
      `A comparison sends each delivery once, but ${repeated} is listed twice. Remove it.`,
    )
}
