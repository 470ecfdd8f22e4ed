/** Waits for the delivery that a step expects and judges it. */
import { timeWords } from '../../shared/flow-diagram/words.ts'
import { durationMs, type FlowRules, type FlowStepOf } from '../../shared/model/flow.ts'
import type { FlowCheck } from '../../shared/model/flow-run.ts'
import { amountText } from '../../shared/text/amount.ts'
import { capitalized, counted } from '../../shared/text/english.ts'
import { fieldAt } from '../sandbox/payload-paths.ts'
import { type Arrival, arrivedOf } from './arrivals.ts'
import { checksOfPayload } from './rule-checks.ts'
import type { RunContext } from './run-context.ts'
import { type StepResult, failed, valueCheck, cancelledResult, passed } from './step-result.ts'

type DeliveryStep = FlowStepOf<'delivery'>

/** Extra time for a person to act with a real account, in milliseconds. */
const PATIENCE_MS = 900_000

/**
 * Resolves when the delivery has arrived or its time is over. Throws `INVALID_INPUT` for an unknown
 * reference.
 */
export async function runDeliveryStep(
  step: DeliveryStep,
  index: number,
  context: RunContext,
): Promise<StepResult> {
  const { time, changes, signal, service } = context
  const { event, absent } = step
  const patience = service === null && !absent ? PATIENCE_MS : 0
  const startedAt = time.now()
  const deadline = startedAt + durationMs(step.within) + patience
  for (;;) {
    const seen = changes.count()
    const arrival = context.arrivals.find((candidate) =>
      isExpectedDelivery(step, candidate, context),
    )
    if (arrival !== undefined) {
      context.assign(arrival, index)
      if (!absent) return judge(step, arrival, startedAt, context)
      return failed(
        `Unexpected ${event} (${arrival.row.id}).`,
        "Check which hook received it, and that hook's offer.",
        {
          arrival,
          got: `${event} ${arrival.row.id}`,
          rule: 'absent',
          checks: [valueCheck(event, { expected: 'none', actual: '1 delivery' })],
        },
      )
    }
    if (signal.aborted) return cancelledResult
    if ((await time.next(deadline, seen, signal)) === 'deadline')
      return absent
        ? passed(`No ${event} within ${step.within}, as expected.`, {
            checks: [valueCheck(event, { expected: 'none', actual: 'none' })],
          })
        : missingResult(step, context)
  }
}

function isExpectedDelivery(
  step: DeliveryStep,
  arrival: Arrival,
  { remembered, named }: RunContext,
): boolean {
  if (arrival.expectedBy !== null || arrival.event !== step.event) return false
  if (step.hook !== undefined && arrival.hook !== step.hook) return false
  const repeated = step.repeats === undefined ? null : (named.get(step.repeats)?.row.id ?? '')
  if (arrival.duplicateOf !== repeated || arrival.attempt !== (step.attempt ?? 1)) return false
  return mismatchesOf(arrival, step.match, remembered).length === 0
}

function mismatchesOf(
  { payload }: Arrival,
  rules: FlowRules = {},
  remembered: RunContext['remembered'],
): string[] {
  return checksOfPayload(payload, rules, remembered).flatMap(({ mismatch }) => mismatch ?? [])
}

function missingResult(step: DeliveryStep, context: RunContext): StepResult {
  const { arrivals, remembered, service } = context
  const { event, attempt = 1, within } = step
  const unexpected = arrivals.filter(({ expectedBy }) => expectedBy === null)
  const descriptions = unexpected.map((arrival) => {
    const nth = arrival.attempt > 1 ? ` (attempt ${arrival.attempt})` : ''
    return `${arrival.event} ${arrival.row.id}${arrival.duplicateOf === null ? nth : ' (duplicate)'}`
  })
  const instead =
    descriptions.length === 0
      ? 'No other deliveries arrived.'
      : `Unexpected deliveries: ${descriptions.join(', ')}.`
  const mismatches = unexpected
    .filter((arrival) => arrival.event === event)
    .flatMap((arrival) => mismatchesOf(arrival, step.match, remembered))
  const why = mismatches.length === 0 ? '' : ` Not matching: ${mismatches.join('; ')}.`
  const limit = service === null ? ', plus 15 minutes for you to act' : ' of sandbox time'
  return {
    outcome: 'missing',
    checks: [
      valueCheck('Within', { expected: timeWords(durationMs(within)), actual: 'not received' }),
    ],
    message: `No ${event}${attempt === 1 ? '' : `, attempt ${attempt},`} within ${within}${limit}. ${instead}${why}`,
    fix:
      service === null
        ? "Check that a hook is registered for it with this receiver's public URL, and that the event was triggered."
        : 'Check the earlier steps: what should have triggered the event, and whether an earlier attempt was acknowledged.',
  }
}

interface BrokenRule {
  readonly rule: string
  readonly message: string
  readonly fix: string
}

/** Checks of one expectation; `fault` is false if they passed. */
interface Expectation {
  readonly checks: readonly FlowCheck[]
  readonly fault?: BrokenRule | false
}

/** Compares a delivery with its step; `startedAt` is sandbox time. */
function expectationsOf(
  step: DeliveryStep,
  arrival: Arrival,
  startedAt: number,
  { lastInOrder, remembered, named, triggeredAt }: RunContext,
): Expectation[] {
  const { row, schemaFailures, payload, attempt } = arrival
  const expectations: Expectation[] = [
    {
      checks: [valueCheck('Signature', { expected: step.verdict, actual: row.verdict })],
      fault: row.verdict !== step.verdict && {
        rule: 'signature',
        message: `Signature is ${row.verdict}, expected ${step.verdict}.`,
        fix: 'Open the delivery and check its signature. The diagnosis names the mistake.',
      },
    },
    {
      checks: [valueCheck('Timestamp', { expected: step.freshness, actual: row.freshness })],
      fault: row.freshness !== step.freshness && {
        rule: 'timestamp',
        message: `Timestamp is ${row.freshness}, expected ${step.freshness}.`,
        fix: "Compare the timestamp header with this computer's clock (spec 5.2).",
      },
    },
  ]
  if (step.schema === 'ok') {
    const errors = schemaFailures.length
    expectations.push({
      checks: [
        valueCheck('Schema', {
          expected: 'no errors',
          actual: errors === 0 ? 'no errors' : counted(errors, 'error'),
        }),
      ],
      fault: errors > 0 && {
        rule: 'schema',
        message: `Body doesn't match the ${step.event} schema: ${schemaFailures.join(' ')}`,
        fix: 'Open the delivery. Each schema error is shown at its field.',
      },
    })
  }
  if (step.attempt !== undefined)
    expectations.push({
      checks: [valueCheck('Attempt', { expected: String(step.attempt), actual: String(attempt) })],
    })
  if (step.repeats !== undefined) {
    const repeated = named.get(step.repeats)?.row.id ?? step.repeats
    expectations.push({
      checks: [
        valueCheck('Duplicate of', { expected: repeated, actual: arrival.duplicateOf ?? 'none' }),
      ],
    })
  }
  const fields = [step.match, step.where].map((rules = {}) =>
    checksOfPayload(payload, rules, remembered),
  )
  const broken = fields[1]?.filter(({ mismatch }) => mismatch !== null) ?? []
  expectations.push({
    checks: fields.flat().map(({ check }) => check),
    fault: broken.length > 0 && {
      rule: `where ${[...new Set(broken.map(({ check: { path } }) => path))].join(', ')}`,
      message: `${broken.map(({ mismatch }) => mismatch).join('; ')}.`,
      fix: 'Open the delivery and compare these fields with the step they come from.',
    },
  })
  expectations.push(
    ...timeExpectations(step, arrival, startedAt, triggeredAt),
    ...orderExpectations(step, arrival, lastInOrder),
  )
  return expectations
}

/**
 * Checks the limits on the time of arrival. `after` is the minimum since the trigger. `within` is
 * the maximum since the step's start; if the time since the trigger is in this limit too, its check
 * shows that, which is easier to compare. A delivery after the maximum was on its way in time, so
 * it still counts, without a check.
 */
function timeExpectations(
  step: DeliveryStep,
  { businessAt }: Arrival,
  startedAt: number,
  triggeredAt: number,
): Expectation[] {
  const expectations: Expectation[] = []
  const waited = businessAt - triggeredAt
  const elapsed = Math.max(0, waited)
  if (step.after !== undefined) {
    const minimum = durationMs(step.after)
    const isLateEnough = elapsed >= minimum
    expectations.push({
      checks: [
        valueCheck('Not before', {
          expected: timeWords(minimum),
          actual: timeWords(elapsed),
          passes: isLateEnough,
          operator: isLateEnough ? '≤' : '>',
        }),
      ],
      fault: waited < minimum && {
        rule: 'after',
        message: `Arrived ${timeWords(elapsed)} after its trigger, expected after at least ${step.after}.`,
        fix: 'Something sent this too early. Check what else was triggered.',
      },
    })
  }
  const maximum = durationMs(step.within)
  const within = elapsed <= maximum ? elapsed : Math.max(0, businessAt - startedAt)
  if (within <= maximum)
    expectations.push({
      checks: [
        valueCheck('Within', {
          expected: timeWords(maximum),
          actual: timeWords(within),
          passes: true,
          operator: '≥',
        }),
      ],
    })
  return expectations
}

function orderExpectations(
  step: DeliveryStep,
  { receivedIndex }: Arrival,
  lastInOrder: Arrival | null,
): Expectation[] {
  if (step.order !== 'strict' || lastInOrder === null) return []
  const isInOrder = receivedIndex >= lastInOrder.receivedIndex
  return [
    {
      checks: [
        valueCheck('Order', {
          expected: `after ${lastInOrder.event}`,
          actual: isInOrder ? 'after' : 'before',
          passes: isInOrder,
        }),
      ],
      fault: !isInOrder && {
        rule: 'order',
        message: `Arrived before ${lastInOrder.event} (${lastInOrder.row.id}), which it should follow.`,
        fix: 'Nothing guarantees the order of deliveries, so your handler must accept this. To allow it in the flow, set "order": "any".',
      },
    },
  ]
}

function judge(
  step: DeliveryStep,
  arrival: Arrival,
  startedAt: number,
  context: RunContext,
): StepResult {
  const expectations = expectationsOf(step, arrival, startedAt, context)
  const faults = expectations.flatMap(({ fault = false }) => (fault === false ? [] : [fault]))
  const { lastInOrder, triggeredAt } = context
  if (
    step.order === 'strict' &&
    (lastInOrder === null || arrival.receivedIndex > lastInOrder.receivedIndex)
  )
    context.lastInOrder = arrival
  if (step.as !== undefined) {
    context.remembered.set(step.as, arrival.payload)
    context.named.set(step.as, arrival)
  }
  const { row, businessAt } = arrival
  const got = `${row.verdict} and ${row.freshness}, ${timeWords(Math.max(0, businessAt - triggeredAt))} after its trigger.`
  const summary = [
    ...(row.verdict === 'valid' ? [] : [row.verdict]),
    ...(row.freshness === 'fresh' ? [] : [row.freshness]),
    ...payloadWords(arrival),
  ].join(' · ')
  const checks = expectations.flatMap((expectation) => expectation.checks)
  const result = { arrival, got, checks, ...(summary === '' ? {} : { summary }) }
  const first = faults[0]
  return first === undefined
    ? passed(capitalized(got), result)
    : failed(faults.map(({ message }) => message).join(' '), first.fix, {
        ...result,
        rule: faults.map(({ rule }) => rule).join('; '),
      })
}

/** Summarizes the payload for the diagram: `12.50 GBP`, `visa …4001`, a status, a name. */
function payloadWords(arrival: Arrival): string[] {
  const { facts } = arrivedOf(arrival)
  const { amount = null, currency = null, scheme = null, lastNumbers = null } = facts ?? {}
  const name = fieldAt(arrival.payload, 'name')
  return [
    amount === null || currency === null ? null : amountText(amount, currency),
    lastNumbers === null ? scheme : `${scheme ?? 'card'} …${lastNumbers}`,
    facts?.status ?? null,
    typeof name === 'string' ? name : null,
  ].filter((word) => word !== null)
}
