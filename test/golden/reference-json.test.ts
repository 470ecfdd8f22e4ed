/**
 * Generated parts of docs/json.md: the fields that commands print, from `printed.json`, and the
 * values of fields, from the schemas.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkResultSchema } from '../../src/shared/model/check.ts'
import { deliverySchema } from '../../src/shared/model/delivery.ts'
import { environmentCheckSchema, environmentSchema } from '../../src/shared/model/environment.ts'
import { flowChanges } from '../../src/shared/model/flow-outcomes.ts'
import { flowRunSchema } from '../../src/shared/model/flow-run.ts'
import { hookSchema, syncedHookSchema } from '../../src/shared/model/hook.ts'
import { notificationSchema } from '../../src/shared/model/notification.ts'
import { replaySchema, sendSchema } from '../../src/shared/model/send.ts'
import { setupEntrySchema } from '../../src/shared/model/setup.ts'
import { shrinkOutcomeSchema } from '../../src/shared/model/shrink.ts'
import { doctorCheckSchema } from '../../src/shared/model/status.ts'
import { addressTestSchema, tunnelStatusSchema } from '../../src/shared/model/tunnel.ts'
import { code, expectParts, table } from '../support/docs-tables.ts'

type Json = z.infer<ReturnType<typeof z.json>>

const objectSchema = z.record(z.string(), z.json())
const printedSchema = z.record(z.string(), z.object({ lines: z.array(objectSchema).min(1) }))
const PRINTED = join(import.meta.dirname, 'printed.json')
const isDeliveryField = (name: string) => name in deliverySchema.shape

/** Returns an object's fields and those of its parts, or nothing for other values. */
function shapeOf(value: Json | undefined, depth: number): string {
  if (Array.isArray(value)) {
    const shape = shapeOf(value[0], depth)
    return shape === '' ? '' : `[${shape}]`
  }
  if (depth === 0 || typeof value !== 'object' || value === null) return ''
  const fields = Object.entries(value).map(([name, inner]) => {
    const shape = shapeOf(inner, depth - 1)
    return shape === '' ? name : `${name}: ${shape}`
  })
  return fields.length === 0 ? '' : `{ ${fields.join(', ')} }`
}

function printedFields(value: Readonly<Record<string, Json>> = {}): string {
  if (!('bodySha256' in value)) return code(shapeOf(value, 2))
  const others = Object.entries(value).filter(([name]) => !isDeliveryField(name))
  const more = others.length === 0 ? '' : ` with ${code(shapeOf(Object.fromEntries(others), 2))}`
  return `[delivery](#delivery)${more}`
}

/** Returns the commands of `printed.json`, with the fields of their first line. */
function commandRows(): string[][] {
  const printed = printedSchema.parse(JSON.parse(readFileSync(PRINTED, 'utf8')))
  const rows = Object.entries(printed).map(([sample, { lines }]): [string, string] => [
    sample.replace(/ --json.*$/, '').replaceAll(/ [A-Z]+\b|(?<!flow) (?:list|add)\b/g, ''),
    printedFields(lines[0]),
  ])
  return [...new Map(rows)].map(([command, fields]) => [code(command), fields])
}

/** Returns the values of a field that is one of several strings, or null. */
function valuesOf(field: z.core.$ZodType): string {
  const inner = field instanceof z.ZodNullable ? field.unwrap() : field
  if (!(inner instanceof z.ZodEnum)) throw new TypeError('Not an enum')
  const nothing = inner === field ? [] : ['null']
  return [...inner.options.map((option) => `"${option}"`), ...nothing].map(code).join(', ')
}

const row = (command: string, name: string, field: z.core.$ZodType) => [
  command,
  code(name),
  valuesOf(field),
]

const { eventSource, mode, verdict, freshness, schema, origin, handler, lastReplay } =
  deliverySchema.shape
const { steps, strays } = flowRunSchema.shape

const values = [
  row('delivery', 'verdict', verdict),
  row('', 'freshness', freshness),
  row('', 'schema', schema),
  row('', 'eventSource', eventSource),
  row('', 'mode', mode),
  row('', 'origin', origin),
  row('', 'handler.outcome', handler.unwrap().shape.outcome),
  row('', 'lastReplay.outcome', lastReplay.unwrap().shape.outcome),
  [
    '`replay`, `send`, `forward`',
    code('outcome'),
    `${valuesOf(sendSchema.shape.outcome.unwrap())}, or a state`,
  ],
  row('', 'state', sendSchema.shape.state),
  row('', 'kind', sendSchema.shape.kind),
  row('', 'tamper', sendSchema.shape.tamper),
  row('`replay --list`', 'state', replaySchema.shape.state),
  row('`shrink`', 'run.outcome', shrinkOutcomeSchema),
  row('`check`', 'outcome', checkResultSchema.shape.outcome),
  row('', 'severity', checkResultSchema.shape.severity),
  row('`trigger`', 'state', notificationSchema.shape.state),
  row('`flow`', 'outcome', flowRunSchema.shape.outcome),
  row('', 'state', flowRunSchema.shape.state),
  row('', 'steps.outcome', steps.element.shape.outcome),
  row('', 'strays.kind', strays.element.shape.kind),
  row('`flow run --all`', 'change', z.enum(Object.keys(flowChanges)).nullable()),
  row('`hooks`', 'status', hookSchema.shape.status),
  row('', 'kind', hookSchema.shape.kind),
  row('`hooks sync`', 'state', syncedHookSchema.shape.state),
  row('`environments`', 'auth', environmentSchema.shape.auth),
  row('', 'ack', environmentSchema.shape.ack),
  row('`environments check`', 'outcome', environmentCheckSchema.shape.outcome),
  row('`tunnel`', 'state', tunnelStatusSchema.shape.state),
  row('', 'provider', tunnelStatusSchema.shape.provider),
  row('`tunnel test`', 'outcome', addressTestSchema.shape.outcome),
  row('`apply`', 'entries.kind', setupEntrySchema.shape.kind),
  row('', 'entries.state', setupEntrySchema.shape.state),
  row('`doctor`', 'outcome', doctorCheckSchema.shape.outcome),
]

test('docs/json.md', () =>
  expectParts('docs/json.md', {
    commands: table(['command', 'fields'], commandRows()),
    values: table(['of', 'field', 'values'], values),
  }))

test('docs/json.md has every field of a delivery', () => {
  const [, section = ''] = readFileSync('docs/json.md', 'utf8').split('## Delivery')
  expect(Object.keys(deliverySchema.shape).filter((name) => !section.includes(code(name)))).toEqual(
    [],
  )
})
