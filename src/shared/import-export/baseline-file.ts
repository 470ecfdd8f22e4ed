/** The file of a baseline: JSON in a stable order, without times, for a repository. */
import { z } from 'zod'
import { AppError } from '../contract/errors.ts'
import {
  BASELINE_VERSION,
  baselineSchema,
  type Baseline,
  type BaselineEntry,
} from '../model/run-comparison.ts'
import type { ComparisonSettings } from '../model/send.ts'

const headSchema = baselineSchema.pick({ countersign: true }).extend({ version: z.number() })

/** Writes a baseline, the same for the same responses in any order. */
export function writeBaseline(
  { ignore, headers }: Pick<ComparisonSettings, 'ignore' | 'headers'>,
  entries: readonly BaselineEntry[],
): string {
  const baseline: Baseline = {
    countersign: 'baseline',
    version: BASELINE_VERSION,
    ignore: [...new Set(ignore)].toSorted(),
    headers: [...new Set(headers.map((name) => name.toLowerCase()))].toSorted(),
    deliveries: entries.toSorted((one, other) =>
      one.id < other.id ? -1 : one.id > other.id ? 1 : 0,
    ),
  }
  return `${JSON.stringify(baseline, null, 2)}\n`
}

/** Reads the file of a baseline. Throws `INVALID_INPUT`, which says what the file is instead. */
export function parseBaseline(text: string, name: string): Baseline {
  const refuse = (what: string) => new AppError('INVALID_INPUT', `${name} ${what}`)
  const other = 'Save one with "countersign replay … --save FILE".'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const isCut = /^\s*\{\s*"countersign":\s*"baseline"/.test(text)
    throw refuse(
      isCut
        ? 'is damaged: its JSON ends early or has a mistake. Restore it, or save it again.'
        : `isn't a baseline. ${other}`,
    )
  }
  const head = headSchema.safeParse(value)
  if (!head.success) throw refuse(`isn't a baseline. ${other}`)
  if (head.data.version !== BASELINE_VERSION)
    throw refuse(
      `has version ${head.data.version}; this Countersign reads ${BASELINE_VERSION}. Save it again.`,
    )
  try {
    const parsed = baselineSchema.safeParse(value)
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    throw refuse(
      `is damaged at ${issue?.path.join('.') ?? 'its start'}. Restore it, or save it again.`,
    )
  } catch (error) {
    // Nested too deeply for the stack.
    if (error instanceof RangeError) throw refuse('is nested too deeply. Save it again.')
    throw error
  }
}
