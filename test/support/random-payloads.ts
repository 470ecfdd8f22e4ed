/** Random inputs for a command: some match its schema, most are changed, a few are random JSON. */
import { z } from 'zod'
import type { SeededRandom } from './seeded-random.ts'

type JsonSchema = Exclude<z.core.JSONSchema._JSONSchema, boolean>

const EDGE_NUMBERS = [0, -1, 1, 0.5, 1e21, -1e308, 2 ** 31, 2 ** 53, 65_536]
const TEXTS = [
  '',
  'a',
  'latest',
  '../../etc/passwd',
  'file:///etc/passwd',
  'http://a@localhost/',
  "'; DROP TABLE deliveries; --",
  '\u0000',
  '\ud800',
  '東京 🔑 \u202e',
  '__proto__',
  '-1',
  'x'.repeat(3_000),
]
const ACCEPTED = [
  'a',
  '1',
  'v1',
  'AAAA',
  'name',
  '2026-11-21T10:00:00.000Z',
  'https://localhost:1/in',
  'x-custom',
  '0195a3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6b',
  '',
]

const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)])

export interface Payloads {
  fitting(schema: z.ZodType): unknown
  /** Returns the input with one to three random changes, or a random value instead. */
  damaged(input: unknown): unknown
}

/**
 * Creates random inputs.
 * @param known Texts that exist in the core, such as the IDs of deliveries.
 */
export function createPayloads(random: SeededRandom, known: readonly string[]): Payloads {
  const chance = (percent: number) => random.integer(1, 100) <= percent
  const times = <T>(least: number, most: number, make: () => T) =>
    Array.from({ length: random.integer(least, most) }, make)

  const junk = (): unknown =>
    random.pick<() => unknown>([
      () => null,
      () => true,
      () => random.pick(EDGE_NUMBERS),
      () => random.pick(TEXTS),
      () => random.pick(known),
      () => [],
      () => ({}),
      () => nested(60),
      () => JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as unknown,
      () => times(1, 3, junk),
    ])()

  const textOf = ({ pattern, format, minLength = 0, maxLength = 4_000 }: JsonSchema): string => {
    const fits = (text: string) =>
      text.length >= minLength &&
      text.length <= maxLength &&
      (pattern === undefined || new RegExp(pattern, 'u').test(text))
    const candidates = (
      pattern === undefined && format === undefined ? [...known, ...TEXTS, ...ACCEPTED] : ACCEPTED
    ).filter(fits)
    return candidates.length === 0 ? 'a'.repeat(minLength) : random.pick(candidates)
  }

  const numberOf = (schema: JsonSchema): number => {
    const minimum = Number(schema.minimum ?? schema.exclusiveMinimum ?? -1_000)
    const maximum = schema.maximum ?? minimum + 1_000
    const value = random.pick([
      minimum,
      maximum,
      random.integer(Math.ceil(minimum), Math.min(Math.floor(maximum), minimum + 1_000)),
    ])
    return schema.type === 'integer' ? Math.trunc(value) : value
  }

  const objectOf = (schema: JsonSchema, root: JsonSchema, depth: number): object => {
    const required = new Set(schema.required)
    const members = Object.entries(schema.properties ?? {})
      .filter(([name]) => required.has(name) || (depth < 5 && chance(50)))
      .map(([name, member]) => [name, valueOf(member as JsonSchema, root, depth + 1)])
    const { additionalProperties: additional, propertyNames } = schema
    const others =
      typeof additional === 'object' && depth < 5
        ? times(0, 2, () => [
            textOf((propertyNames ?? {}) as JsonSchema),
            valueOf(additional, root, depth + 1),
          ])
        : []
    return Object.fromEntries([...members, ...others]) as object
  }

  function valueOf(schema: JsonSchema, root: JsonSchema, depth: number): unknown {
    if (schema.$ref !== undefined)
      return valueOf(
        (schema.$ref === '#'
          ? root
          : root.$defs?.[schema.$ref.split('/').at(-1) ?? '']) as JsonSchema,
        root,
        depth + 1,
      )
    if ('const' in schema) return schema.const
    if (schema.enum !== undefined) return random.pick(schema.enum)
    const either = schema.anyOf ?? schema.oneOf
    // The last of several is mostly null or has no members.
    if (either !== undefined)
      return valueOf(
        (depth > 5 ? either.at(-1) : random.pick(either)) as JsonSchema,
        root,
        depth + 1,
      )
    switch (schema.type) {
      case 'string':
        return textOf(schema)
      case 'integer':
      case 'number':
        return numberOf(schema)
      case 'boolean':
        return chance(50)
      case 'null':
        return null
      case 'array': {
        const { prefixItems, items, minItems = 0, maxItems = 3 } = schema
        if (prefixItems !== undefined)
          return prefixItems.map((item) => valueOf(item as JsonSchema, root, depth + 1))
        return times(minItems, Math.max(minItems, Math.min(maxItems, depth > 5 ? 0 : 3)), () =>
          valueOf((items ?? {}) as JsonSchema, root, depth + 1),
        )
      }
      case 'object':
        return objectOf(schema, root, depth)
      default:
        return junk()
    }
  }

  const schemas = new Map<z.ZodType, JsonSchema>()

  /** Changes one place of a value, which may be the value itself. */
  const damage = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || chance(10)) return junk()
    if (Array.isArray(value)) {
      if (value.length === 0 || chance(20)) return [...(value as unknown[]), junk()]
      const place = random.integer(0, value.length - 1)
      return value.map((item: unknown, index) => (index === place ? damage(item) : item))
    }
    const members = Object.entries(value)
    if (members.length === 0 || chance(15)) return { ...value, [random.pick(TEXTS)]: junk() }
    const [name] = random.pick(members)
    if (chance(20)) return Object.fromEntries(members.filter(([other]) => other !== name))
    return Object.fromEntries(
      members.map(([other, member]) => [
        other,
        other === name ? damage(member) : (member as unknown),
      ]),
    )
  }

  return {
    fitting(schema) {
      const json =
        schemas.get(schema) ?? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
      schemas.set(schema, json)
      return valueOf(json, json, 0)
    },
    damaged(input) {
      if (chance(10)) return junk()
      let value = input
      for (const change of times(1, 3, () => damage)) value = change(value)
      return value
    },
  }
}
