/** Test and live never mix (section 1 of the interface): whether a payload says that it is of the mode of its environment. */
import type { Mode } from '../model/delivery.ts'
import type { Note } from './payload-check.ts'

/** The environment that a delivery was matched to. */
export interface PayloadOrigin {
  readonly environment: string
  readonly mode: Mode
}

/** Where resources carry `live`: at the top, and in the card or location that a payload is wrapped around. */
const PATHS = [['live'], ['card', 'live'], ['location', 'live']] as const

/** A finding for each `live` that disagrees with the mode of the environment; a transaction has none. */
export function checkMode(value: unknown, { environment, mode }: PayloadOrigin): Note[] {
  return PATHS.flatMap((path): Note[] => {
    const live = path.reduce<unknown>(fieldOf, value)
    if (typeof live !== 'boolean' || live === (mode === 'live')) return []
    const at = path.join('.')
    const message = `The payload says \`${at}\`: ${live}, and the environment ${environment} is ${mode}: test and live never mix.`
    return [{ path: at, section: '1', message }]
  })
}

function fieldOf(parent: unknown, name: string): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, name)) return undefined
  return (parent as Readonly<Record<string, unknown>>)[name]
}
