/**
 * Tables of the reference pages about the service, the sandbox and flows, generated from the code
 * between `<!-- name -->` and `<!-- /name -->`.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { builtInFlows } from '../../src/core/flows/built-in/index.ts'
import { flowJsonSchema } from '../../src/core/flows/read-flow.ts'
import { apiErrors } from '../../src/core/sandbox/api-errors.ts'
import { faultMeanings } from '../../src/shared/model/fault-meanings.ts'
import {
  flowComparisonSchema,
  flowHookSchema,
  flowSchema,
  flowStepSchema,
} from '../../src/shared/model/flow.ts'
import {
  eventMeaning,
  eventTypes,
  hookKindOf,
  isShownEventType,
} from '../../src/shared/service/event-type.ts'
import { unwrap } from '../../src/shared/service/field-check.ts'
import { fieldNotes } from '../../src/shared/service/field.ts'
import { blockedHeaders } from '../../src/shared/service/header-rules.ts'
import { sectionAnchor, type Section } from '../../src/shared/service/hook-finding.ts'
import {
  ACKNOWLEDGE_TIMEOUT_MS,
  ATTEMPT_WAITS_MS,
  MAX_ATTEMPTS,
  MAX_CUSTOM_HEADERS,
  MAX_HEADER_NAME_LENGTH,
  MAX_HEADER_VALUE_LENGTH,
  MAX_HOOKS_PER_EVENT,
  REPLAY_WINDOW_MS,
} from '../../src/shared/service/limits.ts'
import { payloadSchemas } from '../../src/shared/service/payload-schemas.ts'
import { capitalized } from '../../src/shared/text/english.ts'
import { code, expectPage, expectParts, table } from '../support/docs-tables.ts'

const seconds = (ms: number) => `${ms / 1_000} s`

const limits = [
  ['URLs per event and program', String(MAX_HOOKS_PER_EVENT)],
  ['custom headers per hook', String(MAX_CUSTOM_HEADERS)],
  ['length of a header name', `1 to ${MAX_HEADER_NAME_LENGTH} characters`],
  ['length of a header value', `1 to ${MAX_HEADER_VALUE_LENGTH.toLocaleString('en')} characters`],
  ['time to acknowledge', seconds(ACKNOWLEDGE_TIMEOUT_MS)],
  ['attempts', `${MAX_ATTEMPTS}, waits of ${ATTEMPT_WAITS_MS.map(seconds).join(' and ')}`],
  ['signature age (recommended)', seconds(REPLAY_WINDOW_MS)],
  ['URL scheme', 'HTTPS'],
]

const { 'location.status': locationStatus, 'transaction.auth.qualified': qualified } =
  payloadSchemas

const objectAt = (schema: z.ZodObject, name: string) =>
  unwrap(schema.shape[name] as z.core.$ZodType) as z.ZodObject

/** Objects with their own table. */
const shownApart: ReadonlySet<unknown> = new Set([
  payloadSchemas['card.linked'],
  objectAt(locationStatus, 'location'),
])

interface Field {
  readonly path: string
  readonly value: string
}

/** Lists the fields of an object and its parts; equal parts once, as those of the first. */
function fieldsOf(schema: z.ZodObject, prefix = '', seen = new Map<unknown, string>()): Field[] {
  return Object.entries(schema.shape).flatMap(([name, declared]): Field[] => {
    const field = unwrap(declared as z.core.$ZodType)
    const path = `${prefix}${name}`
    const { must = '', shown = [], section } = fieldNotes.get(field) ?? {}
    const isOptional = declared instanceof z.ZodOptional
    const first = seen.get(field)
    const facts = [
      first === undefined ? must.replace(/^an? /, '') : `same as ${code(first)}`,
      ...(declared instanceof z.ZodNullable && !must.includes('null') ? ['or null'] : []),
      ...(shown.length === 0 ? [] : [`shown: ${shown.map(code).join(', ')}`]),
      ...(isOptional ? ['optional'] : []),
    ]
    const own = { path, value: facts.join('; ').replace('; or null', ' or null') }
    if (!(field instanceof z.ZodObject) || first !== undefined) return [own]
    if (
      section !== undefined &&
      (shownApart.has(field) || section !== fieldNotes.get(schema)?.section)
    )
      return [{ ...own, value: `${own.value} ([${section}](#${sectionAnchor(section)}))` }]
    seen.set(field, path)
    return [own, ...fieldsOf(field, `${path}.`, seen)]
  })
}

/** Returns a table of an object's fields, a row for each type. */
function fieldTable(schema: z.ZodObject): string {
  const rows = Map.groupBy(fieldsOf(schema), ({ value }) => value)
  return table(
    ['fields', 'value'],
    [...rows].map(([value, fields]) => [
      fields.map(({ path }) => code(path)).join(', '),
      capitalized(value),
    ]),
  )
}

test('docs/service.md', async () => {
  const events = eventTypes.map((event) => {
    const section = isShownEventType(event) ? fieldNotes.get(payloadSchemas[event])?.section : null
    return [
      code(event),
      hookKindOf(event) ?? 'not shown',
      section == null ? 'not shown' : `[${section}](#${sectionAnchor(section)})`,
      isShownEventType(event) ? eventMeaning(event) : '',
    ]
  })
  await expectParts('docs/service.md', {
    brand: fieldTable(payloadSchemas['brand.consent']),
    program: fieldTable(payloadSchemas['program.status']),
    'location-status': fieldTable(locationStatus),
    location: fieldTable(objectAt(locationStatus, 'location')),
    card: fieldTable(payloadSchemas['card.linked']),
    'failed-card': fieldTable(payloadSchemas['card.failed']),
    transaction: fieldTable(payloadSchemas['transaction.auth']),
    offer: fieldTable(objectAt(qualified, 'offer')),
    'blocked-headers': `> ${[...blockedHeaders('service')].map(code).join(', ')}`,
    events: table(['event', 'hook', 'payload', 'sent when'], events),
    limits: table(['limit', 'value'], limits),
  })
})

test('docs/service.md has an anchor for each section', () => {
  const page = readFileSync('docs/service.md', 'utf8')
  const anchors = [...page.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id]) => id)
  const sections = [...page.matchAll(/^##+ ([\d.]*\d)/gm)].map(([, number]) => number as Section)
  expect(sections.length).toBe(27)
  expect(anchors).toEqual(sections.map(sectionAnchor))
})

test('docs/sandbox.md', () =>
  expectParts('docs/sandbox.md', {
    faults: table(
      ['kind', 'what is wrong'],
      Object.entries(faultMeanings).map(([kind, { meaning }]) => [code(kind), meaning]),
    ),
    errors: table(
      ['code', 'status', 'meaning'],
      Object.entries(apiErrors).map(([name, { status, meaning }]) => [
        code(name),
        String(status),
        meaning,
      ]),
    ),
  }))

const defaultSchema = z.union([z.string(), z.number(), z.boolean()])

/** Returns a field's description, with its default. */
function meaningOf(field: z.ZodType): string {
  const inner = unwrap(field) as z.ZodType
  const description = field.description ?? inner.description ?? ''
  if (!(field instanceof z.ZodDefault) || description.includes('Default')) return description
  return `${description} Default: ${code(defaultSchema.parse(field.def.defaultValue).toString())}.`
}

function schemaTable(shape: Readonly<Record<string, z.ZodType>>, without: readonly string[] = []) {
  const rows = Object.entries(shape)
    .filter(([name]) => !without.includes(name))
    .map(([name, field]) => [
      code(name),
      field.safeParse(undefined).success ? '' : 'yes',
      meaningOf(field),
    ])
  expect(rows.filter(([, , meaning]) => meaning === '')).toEqual([])
  return table(['field', 'required', 'meaning'], rows)
}

const COMMON = ['name', 'title', 'only'] as const

test('docs/flow-reference.md', async () => {
  const link = (section: string) => `[${section}](service.md#section-${section.replace('.', '-')})`
  const flows = builtInFlows().map(({ flow }) => {
    const mode = flow.mode === 'live' ? 'Live mode. ' : ''
    return `- ${code(flow.name)}: ${flow.about} (${mode}Spec ${(flow.sections ?? []).map(link).join(', ')})`
  })
  const [{ shape: first }] = flowStepSchema.options
  const steps = flowStepSchema.options.map(
    ({ shape }) =>
      `### ${code([...shape.kind.values][0] ?? '')}\n\n${shape.kind.description}\n\n${schemaTable(shape, ['kind', ...COMMON])}`,
  )
  const answers = unwrap(flowHookSchema.shape.answers) as z.ZodObject
  await expectParts('docs/flow-reference.md', {
    flows: flows.join('\n'),
    file: schemaTable(flowSchema.shape, ['$schema']),
    hooks: schemaTable(flowHookSchema.shape),
    'response-rules': schemaTable(answers.shape),
    common: schemaTable(Object.fromEntries(COMMON.map((name) => [name, first[name]]))),
    steps: steps.join('\n\n'),
    comparisons: table(
      ['comparison', 'the field'],
      Object.entries(flowComparisonSchema.shape).map(([name, field]) => [
        code(name),
        meaningOf(field),
      ]),
    ),
  })
})

test('docs/flow.schema.json', () =>
  expectPage(resolve('docs/flow.schema.json'), JSON.stringify(flowJsonSchema())))
