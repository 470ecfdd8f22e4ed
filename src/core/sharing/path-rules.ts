/** Paths to keep and replace, from the user and from `handover.json` in the data folder. */
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { pathPattern } from '../../shared/diff/path-pattern.ts'
import { readSmallFile } from '../base/inside-folder.ts'
import type { PathRules } from './body-rules.ts'

const FILE = 'handover.json'
const MOST_BYTES = 1_048_576

const paths = z.array(z.string().min(1)).default([])
const rulesSchema = z.strictObject({ keep: paths, replace: paths })
const fileSchema = rulesSchema.extend({ events: z.record(z.string(), rulesSchema).default({}) })

/** Rules for every event, and further ones by event. */
export interface EventRules extends PathRules {
  readonly events: Readonly<Record<string, PathRules>>
  readonly used: Set<string>
}

function readFileRules(file: string): z.infer<typeof fileSchema> {
  let text
  try {
    text = readSmallFile(file, MOST_BYTES)
  } catch (error) {
    throw new AppError(
      'INVALID_INPUT',
      `${file} ${(error as Error).message}. Check the file and its permissions.`,
    )
  }
  try {
    return fileSchema.parse(JSON.parse(text ?? '{}'))
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    const what =
      issue === undefined
        ? "isn't JSON"
        : `is invalid at "${issue.path.join('.')}": ${issue.message}`
    throw new AppError(
      'INVALID_INPUT',
      `${file} ${what}. It has the lists "keep" and "replace", and "events" with those of an event.`,
    )
  }
}

/** Returns the given rules and those of the file. Throws `INVALID_INPUT`. */
export function readPathRules(dataFolder: string, given: PathRules): EventRules {
  const { keep, replace, events } = readFileRules(join(dataFolder, FILE))
  const patterns = (rules: PathRules): PathRules => ({
    keep: rules.keep.map(pathPattern),
    replace: rules.replace.map(pathPattern),
  })
  const all = { keep: [...keep, ...given.keep], replace: [...replace, ...given.replace] }
  return {
    ...patterns(all),
    used: new Set(),
    events: Object.fromEntries(
      Object.entries(events).map(([event, rules]) => [event, patterns(rules)]),
    ),
  }
}

/** Returns the rules for the payload of an event. */
export function rulesFor({ events, ...all }: EventRules, event: string | null): PathRules {
  const own = event === null || !Object.hasOwn(events, event) ? undefined : events[event]
  if (own === undefined) return all
  return { ...all, keep: [...all.keep, ...own.keep], replace: [...all.replace, ...own.replace] }
}
