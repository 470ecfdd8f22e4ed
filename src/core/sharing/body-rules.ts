/** Rules of each event's payload: by the field's name, if the schema has the field there. */
import { z } from 'zod'
import { pathFitsPattern } from '../../shared/diff/path-pattern.ts'
import { decodedString } from '../../shared/json/scan.ts'
import type { JsonNode } from '../../shared/json/tree.ts'
import { stepsOf } from '../../shared/json/tree.ts'
import type { ReplacedKind } from '../../shared/model/sharing.ts'
import { isEventType, isShownEventType } from '../../shared/service/event-type.ts'
import { fieldNotes } from '../../shared/service/field.ts'
import { unwrap } from '../../shared/service/field-check.ts'
import { payloadSchemas } from '../../shared/service/payload-schemas.ts'
import { isTimezone } from '../../shared/service/payload-sense.ts'

/** Treatment of a value: times are moved, `kept` ones stay, all others are replaced. */
export type FieldRule = ReplacedKind | 'kept' | 'time'

const fieldsByRule: Partial<Record<FieldRule, string>> = {
  id: 'id accountId programId brandId originalTransactionId authTransactionId clearingTransactionId',
  name: 'name',
  address: 'address city postcode latitude longitude',
  card: 'firstNumbers lastNumbers',
  code: 'approvalCode authCode visa mastercard MID mastercardAuthCode mastercardTransactionSequenceNumber mastercardRefNumber amexApprovalCode visaAuthCode',
  metadata: 'metadata',
  text: 'message',
  url: 'logoURL',
  kept: 'amount cashback performanceFee currency countryCode timezone expDate expMonth expYear locations status scheme type event',
  time: 'created updated datetime activeDate qualificationDate estimatedEndDate estimatedActivationDate',
}
const ruleOfField = new Map(
  Object.entries(fieldsByRule).flatMap(([rule, names]) =>
    names.split(' ').map((name) => [name, rule as FieldRule] as const),
  ),
)

/** Paths that a user keeps or replaces; as patterns such as `card.metadata.*`. */
export interface PathRules {
  readonly keep: readonly string[]
  readonly replace: readonly string[]
  /** Patterns that fitted. */
  readonly used?: Set<string>
}

/** Value with the schema at its place, if the schema has it. */
interface Place {
  readonly schema: z.core.$ZodType | null
  readonly rule: FieldRule
  readonly chosen: 'kept' | 'chosen' | null
}

/** Returns a function that decides about values; it must see a container before its values. */
export function createBodyRules(event: string | null, { keep, replace, used }: PathRules) {
  const places = new Map<JsonNode, Place>()
  const hasPaths = keep.length + replace.length > 0
  const root = event !== null && isShownEventType(event) ? payloadSchemas[event] : null
  const chosenFor = (node: JsonNode, parent: Place | undefined) => {
    if (!hasPaths) return null
    const path = stepsOf(node)
    const fitsOneOf = (patterns: readonly string[]) => {
      const fitting = patterns.filter((pattern) => pathFitsPattern(path, pattern))
      for (const pattern of fitting) used?.add(pattern)
      return fitting.length > 0
    }
    if (fitsOneOf(replace)) return 'chosen'
    if (fitsOneOf(keep)) return 'kept'
    return parent?.chosen ?? null
  }
  return (node: JsonNode): { readonly value: FieldRule; readonly isKeyKept: boolean } => {
    const parent = node.parent === null ? undefined : places.get(node.parent)
    const chosen = chosenFor(node, parent)
    const { schema, rule } =
      parent === undefined ? { schema: root, rule: 'unknown' as const } : memberOf(parent, node)
    if (node.isContainer) places.set(node, { schema, rule, chosen })
    const isKeyKept = schema !== null || chosen === 'kept'
    return { value: chosen ?? checkedRule(rule, schema, node), isKeyKept }
  }
}

function memberOf(parent: Place, { name }: JsonNode): Pick<Place, 'schema' | 'rule'> {
  // Items belong to the field that has the list.
  if (name === null) return { schema: null, rule: parent.rule }
  const shape = parent.schema instanceof z.ZodObject ? parent.schema.shape : {}
  const rule = parent.rule === 'metadata' ? 'metadata' : 'unknown'
  if (!Object.hasOwn(shape, name)) return { schema: null, rule }
  const schema = unwrap((shape as Record<string, z.core.$ZodType>)[name]!)
  return { schema, rule: ruleOfField.get(name) ?? 'unknown' }
}

/** Returns the rule if the value is what the schema says, so that nothing else is kept. */
function checkedRule(rule: FieldRule, schema: z.core.$ZodType | null, node: JsonNode): FieldRule {
  if (rule !== 'kept' && rule !== 'time') return rule
  const { fits, shown } = (schema && fieldNotes.get(schema)) ?? {}
  const value = node.kind === 'string' ? decodedString(node.raw) : Number(node.raw)
  if (fits?.(value) !== true) return 'unknown'
  if (shown !== undefined && !shown.includes(String(value))) return 'unknown'
  if (node.name === 'timezone') return isTimezone(String(value)) ? rule : 'unknown'
  return node.name !== 'event' || isEventType(String(value)) ? rule : 'unknown'
}
