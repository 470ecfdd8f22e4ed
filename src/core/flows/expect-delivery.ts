/** The delivery step: waits for the expected delivery and judges it. */
import { timeWords } from '../../shared/flow-diagram/words.ts'
import { durationMs, type FlowStepOf, type FlowCheck } from '../../shared/model/flow.ts'
import { amountText } from '../../shared/text/amount.ts'
import { counted } from '../../shared/text/counted.ts'
import type { Arrival } from './run-inbox.ts'
import { failed, passed, type RunContext, type StepResult } from './run-state.ts'
import { checksOfPayload, departuresOf, departureWords } from './rules.ts'
import { fieldAt } from '../sandbox/scene.ts'

type DeliveryStep = FlowStepOf<'delivery'>

/** With a real account a person must act first, so the step waits this much longer, in milliseconds. */
const PATIENCE_MS = 900_000

function isMeant(step: DeliveryStep, arrival: Arrival, { remembered, named }: RunContext): boolean {
  if (arrival.claimedBy !== null || arrival.event !== step.event) return false
  if (step.hook !== undefined && arrival.hook !== step.hook) return false
  const repeated = step.repeats === undefined ? null : (named.get(step.repeats)?.row.id ?? '')
  if (arrival.duplicateOf !== repeated || arrival.attempt !== (step.attempt ?? 1)) return false
  return (
    step.match === undefined || departuresOf(arrival.payload, step.match, remembered).length === 0
  )
}

const signatureFix = 'Open the delivery and check its signature. The diagnosis names the mistake.'

/** A broken rule: its name, what happened, and what to do. */
type Fault = readonly [rule: string, message: string, fix: string]

function faultsOf(
  step: DeliveryStep,
  arrival: Arrival,
  began: number,
  context: RunContext,
): Fault[] {
  const { row, schemaFailures, payload } = arrival
  const { lastInOrder, remembered } = context
  const faults: Fault[] = []
  if (row.verdict !== step.verdict)
    faults.push([
      'signature',
      `Signature is ${row.verdict}, expected ${step.verdict}.`,
      signatureFix,
    ])
  if (row.freshness !== step.freshness)
    faults.push([
      'timestamp',
      `Timestamp is ${row.freshness}, expected ${step.freshness}.`,
      "Compare the timestamp header with this computer's clock (spec 5.2).",
    ])
  if (step.schema === 'ok' && schemaFailures.length > 0)
    faults.push([
      'schema',
      `Body doesn't match the ${step.event} schema: ${schemaFailures.join(' ')}`,
      'Open the delivery. Each schema error is shown at its field.',
    ])
  const departures = step.where === undefined ? [] : departuresOf(payload, step.where, remembered)
  if (departures.length > 0)
    faults.push([
      `where ${departures.map(({ path }) => path).join(', ')}`,
      `${departures.map(departureWords).join('; ')}.`,
      'Open the delivery and compare these fields with the step they come from.',
    ])
  const waited = arrival.businessAt - began
  if (step.after !== undefined && waited < durationMs(step.after))
    faults.push([
      'after',
      `Arrived ${timeWords(Math.max(0, waited))} after its trigger, expected after at least ${step.after}.`,
      'Something sent this too early. Check what else was triggered.',
    ])
  if (step.order === 'strict' && lastInOrder !== null && arrival.place < lastInOrder.place)
    faults.push([
      'order',
      `Arrived before ${lastInOrder.event} (${lastInOrder.row.id}), which it should follow.`,
      'Nothing guarantees the order of deliveries, so your handler must accept this. To allow it in the flow, set "order": "any".',
    ])
  return faults
}

function missing(step: DeliveryStep, context: RunContext): StepResult {
  const came = context.arrivals.filter(({ claimedBy }) => claimedBy === null)
  const instead =
    came.length === 0
      ? 'No other deliveries arrived.'
      : `Unexpected deliveries: ${came.map(({ event, row, attempt, duplicateOf }) => `${event} ${row.id}${duplicateOf !== null ? ' (duplicate)' : attempt > 1 ? ` (attempt ${attempt})` : ''}`).join(', ')}.`
  const unmet = came
    .filter(({ event }) => event === step.event)
    .flatMap(({ payload }) =>
      step.match === undefined
        ? []
        : departuresOf(payload, step.match, context.remembered).map(departureWords),
    )
  const why = unmet.length === 0 ? '' : ` Not matching: ${unmet.join('; ')}.`
  const attempt =
    step.attempt === undefined || step.attempt === 1 ? '' : `, attempt ${step.attempt},`
  return {
    outcome: 'missing',
    checks: [same('Within', timeWords(durationMs(step.within)), 'not received')],
    message: `No ${step.event}${attempt} within ${step.within}${context.service === null ? ', plus 15 minutes for you to act' : ' of sandbox time'}. ${instead}${why}`,
    fix:
      context.service === null
        ? "Check that a hook is registered for it with this receiver's public URL, and that the event was triggered."
        : 'Check the earlier steps: what should have triggered the event, and whether an earlier attempt was acknowledged.',
  }
}

/** When the delivery was triggered, and since when the step waits for it, in sandbox time. */
interface Since {
  readonly trigger: number
  readonly step: number
}

function same(field: string, expected: string, actual: string): FlowCheck {
  const isSame = expected === actual
  return { field, path: null, expected, operator: isSame ? '=' : '≠', actual, passed: isSame }
}

/** Every expectation with its values filled in, beside the actual value. */
function checksOf(
  step: DeliveryStep,
  arrival: Arrival,
  since: Since,
  context: RunContext,
): FlowCheck[] {
  const { row, schemaFailures, payload, attempt, businessAt, place } = arrival
  const { lastInOrder, remembered, named } = context
  const checks = [
    same('Signature', step.verdict, row.verdict),
    same('Timestamp', step.freshness, row.freshness),
  ]
  if (step.schema === 'ok')
    checks.push(
      same(
        'Schema',
        'no errors',
        schemaFailures.length === 0 ? 'no errors' : counted(schemaFailures.length, 'error'),
      ),
    )
  if (step.attempt !== undefined)
    checks.push(same('Attempt', String(step.attempt), String(attempt)))
  if (step.repeats !== undefined)
    checks.push(
      same(
        'Duplicate of',
        named.get(step.repeats)?.row.id ?? step.repeats,
        arrival.duplicateOf ?? 'none',
      ),
    )
  for (const rules of [step.match, step.where])
    if (rules !== undefined) checks.push(...checksOfPayload(payload, rules, remembered))
  const sinceTrigger = Math.max(0, businessAt - since.trigger)
  if (step.after !== undefined) {
    const least = durationMs(step.after)
    const isLate = sinceTrigger >= least
    const [expected, actual] = [timeWords(least), timeWords(sinceTrigger)]
    checks.push({
      field: 'Not before',
      path: null,
      expected,
      operator: isLate ? '≤' : '>',
      actual,
      passed: isLate,
    })
  }
  const most = durationMs(step.within)
  // The limit runs from the start of the step. Since the trigger, as above, is easier to compare if it is within the limit too.
  const taken = sinceTrigger <= most ? sinceTrigger : Math.max(0, businessAt - since.step)
  // A person with a real account has more time, and a delivery that is already on its way still counts.
  if (taken <= most)
    checks.push({
      field: 'Within',
      path: null,
      expected: timeWords(most),
      operator: '≥',
      actual: timeWords(taken),
      passed: true,
    })
  if (step.order === 'strict' && lastInOrder !== null) {
    const isInOrder = place >= lastInOrder.place
    const expected = `after ${lastInOrder.event}`
    const actual = isInOrder ? 'after' : 'before'
    checks.push({
      field: 'Order',
      path: null,
      expected,
      operator: isInOrder ? '=' : '≠',
      actual,
      passed: isInOrder,
    })
  }
  return checks
}

function judge(
  step: DeliveryStep,
  index: number,
  arrival: Arrival,
  since: Since,
  context: RunContext,
): StepResult {
  context.claim(arrival, index)
  const began = since.trigger
  const faults = faultsOf(step, arrival, began, context)
  const checks = checksOf(step, arrival, since, context)
  if (
    step.order === 'strict' &&
    (context.lastInOrder === null || arrival.place > context.lastInOrder.place)
  )
    context.lastInOrder = arrival
  if (step.as !== undefined) {
    context.remembered.set(step.as, arrival.payload)
    context.named.set(step.as, arrival)
  }
  const { row, businessAt } = arrival
  const got = `${row.verdict} and ${row.freshness}, ${timeWords(Math.max(0, businessAt - began))} after its trigger.`
  const odd = [
    ...(row.verdict === 'valid' ? [] : [row.verdict]),
    ...(row.freshness === 'fresh' ? [] : [row.freshness]),
    payloadWords(arrival.payload) ?? '',
  ]
  const told = odd.filter((words) => words !== '').join(' · ')
  const more = { arrival, got, checks, ...(told === '' ? {} : { told }) }
  const first = faults[0]
  return first === undefined
    ? passed(`${got.charAt(0).toUpperCase()}${got.slice(1)}`, more)
    : failed(faults.map(([, message]) => message).join(' '), first[2], {
        ...more,
        rule: faults.map(([rule]) => rule).join('; '),
      })
}

/** Resolves once decided. Throws `INVALID_INPUT` for an unknown reference. */
export async function expectDelivery(
  step: DeliveryStep,
  index: number,
  context: RunContext,
  began: number,
): Promise<StepResult> {
  const { time, changes, signal, service } = context
  const patience = service === null && !step.absent ? PATIENCE_MS : 0
  const since: Since = { trigger: began, step: time.now() }
  const deadline = since.step + durationMs(step.within) + patience
  for (;;) {
    const seen = changes.count()
    const arrival = context.arrivals.find((one) => isMeant(step, one, context))
    if (arrival !== undefined && !step.absent) return judge(step, index, arrival, since, context)
    if (arrival !== undefined) {
      context.claim(arrival, index)
      return failed(
        `Unexpected ${step.event} (${arrival.row.id}).`,
        "Check which hook received it, and that hook's offer.",
        {
          arrival,
          got: `${step.event} ${arrival.row.id}`,
          rule: 'absent',
          checks: [same(step.event, 'none', '1 delivery')],
        },
      )
    }
    if (signal.aborted) return skipAborted
    if ((await time.next(deadline, seen, signal)) === 'deadline')
      return step.absent
        ? passed(`No ${step.event} within ${step.within}, as expected.`, {
            checks: [same(step.event, 'none', 'none')],
          })
        : missing(step, context)
  }
}

export const skipAborted: StepResult = { outcome: 'skip', message: 'Run cancelled.' }

// Summarizes a payload for the diagram; null if there is nothing to show.

function text(payload: unknown, path: string): string | null {
  const value = fieldAt(payload, path)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/** `12.50 GBP · visa …4001` for a transaction, `amex · location.active` for a location, the name of a brand or program. */
function payloadWords(payload: unknown): string | null {
  const amount = fieldAt(payload, 'amount')
  const currency = text(payload, 'currency')
  const money =
    typeof amount !== 'number' || currency === null ? null : amountText(amount, currency)
  const holder = fieldAt(payload, 'card') === undefined ? '' : 'card.'
  const scheme = text(payload, `${holder}scheme`)
  const last = text(payload, `${holder}lastNumbers`)
  const card = last === null ? scheme : `${scheme ?? 'card'} …${last}`
  const words = [money, card, text(payload, 'status'), text(payload, 'name')].filter(
    (word) => word !== null,
  )
  return words.length === 0 ? null : words.join(' · ')
}
