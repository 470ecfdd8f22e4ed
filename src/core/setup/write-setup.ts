/** Writes a setup as the text of a file: short, and the same for the same setup. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { SANDBOX_TEST } from '../../shared/model/environment.ts'
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts'
import { type Setup, setupSchema } from '../../shared/model/setup.ts'
import { DEFAULT_PREFIX } from '../../shared/service/header-names.ts'

const SCHEMA = './node_modules/countersign/countersign.schema.json'

const SANDBOX = { prefix: DEFAULT_PREFIX, caPem: null }
/** Parts of an unused data folder, whose values a file leaves out. */
const UNUSED = {
  settings: { ...DEFAULT_SETTINGS, window: {} },
  sandbox: { test: SANDBOX, live: SANDBOX },
  current: { environment: SANDBOX_TEST },
}

/** Leaves out the values that reading adds again; orders fields like the schema. */
function withoutDefaults(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return withoutDefaults(schema.unwrap(), value)
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((one) => withoutDefaults(schema.element, one))
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value
  const fields = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]) => {
      const inner = fields[name]
      const initial = (field as z.ZodType).safeParse(undefined)
      return inner === undefined || (initial.success && isDeepStrictEqual(initial.data, inner))
        ? []
        : [[name, withoutDefaults(field, inner)]]
    }),
  )
}

/** Removes what an unused data folder has too, unless `kept` names it. */
function changedFrom(value: object, initial: object, kept: object | undefined): object {
  const at = (whole: object | undefined, name: string) =>
    (whole as Readonly<Record<string, unknown>> | undefined)?.[name]
  const entries = Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const [first, before] = [at(initial, name), at(kept, name)]
    if (typeof inner === 'object' && inner !== null) {
      const rest = changedFrom(inner, first ?? {}, before as object | undefined)
      return Object.keys(rest).length === 0 ? [] : [[name, rest]]
    }
    return inner === undefined || (before === undefined && isDeepStrictEqual(inner, first))
      ? []
      : [[name, inner]]
  })
  return Object.fromEntries(entries) as object
}

/** Returns the text of a setup; settings that the `previous` file names stay. */
export function setupText(setup: Setup, previous: Setup | null): string {
  const short = (part: keyof typeof UNUSED) =>
    changedFrom(setup[part], UNUSED[part], previous?.[part])
  const written = withoutDefaults(setupSchema, {
    ...{ $schema: SCHEMA, ...setup },
    settings: short('settings'),
    sandbox: short('sandbox'),
    current: short('current'),
  })
  return `${JSON.stringify(written, null, 2)}\n`
}
