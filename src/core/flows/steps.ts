/** Runs the steps of a flow, each kind in its own way, and judges deliveries and responses. */
import type { Literals } from '../../shared/body/json-literals.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { timeWords } from '../../shared/flow-diagram/words.ts'
import type { Environment } from '../../shared/model/environment.ts'
import {
  durationMs,
  type Flow,
  type FlowCheck,
  type FlowOutcome,
  type FlowResponse,
  type FlowRules,
  type FlowStep,
  type FlowStepOf,
} from '../../shared/model/flow.ts'
import type { Fault } from '../../shared/model/sandbox.ts'
import { plainEventOf, type ShownEventType } from '../../shared/service/event-type.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import { payloadSchemas } from '../../shared/service/payload-schemas.ts'
import { amountText } from '../../shared/text/amount.ts'
import { capitalized, counted } from '../../shared/text/counted.ts'
import type { Clock, Log } from '../base/deps.ts'
import { fieldAt } from '../sandbox/event-context.ts'
import type { Store } from '../store/store.ts'
import { arrivedOf, type Arrival, type Handler } from './arrivals.ts'
import type { FoundFlow } from './built-in/index.ts'
import { turnsOf, type Attempts, type HookKeeper, type RunHook } from './hooks.ts'
import { applyInputs, causes, fieldLiterals } from './plan.ts'
import {
  checksOfPayload,
  checksOfRule,
  fillIn,
  isNotRemembered,
  isReference,
  referencesIn,
  ruleWords,
  unmarked,
} from './rules.ts'
import type { Changes, FlowService, RunTime } from './service.ts'

export interface RunOptions extends FoundFlow {
  readonly id: string
  readonly clock: Clock
  readonly log: Log
  readonly store: Pick<Store, 'read' | 'write' | 'settled'>
  readonly environment: Pick<Environment, 'name' | 'mode' | 'ack'>
  /** Fields to set in every triggered event that has them. */
  readonly literals: Literals
  /** Null with a real account. */
  readonly service: FlowService | null
  readonly attempts: Attempts
  readonly time: RunTime
  readonly changes: Changes
  readonly hooks: readonly RunHook[]
  readonly keeper: Pick<HookKeeper, 'rotate' | 'answerNext'>
  readonly handler: Handler | null
  onChanged(): void
}

/** What the parts of a run share: arrivals, saved values, and the means to trigger and wait. */
export interface RunContext extends RunOptions {
  /** All arrivals, in order. */
  readonly arrivals: Arrival[]
  /** Payloads and ids by the names the flow gives them. */
  readonly remembered: Map<string, unknown>
  /** Deliveries by the same names. */
  readonly named: Map<string, Arrival>
  /** Numbers in the flow file that JavaScript would write differently, by path. */
  readonly literalsOfFile: (names: readonly string[]) => Literals
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /** The last delivery that arrived in order. */
  lastInOrder: Arrival | null
  /** Whether the handler accepted a valid delivery: until then a rejection proves nothing. */
  hasAccepted: boolean
  /** The fault of the last trigger, and when something was last triggered, in sandbox time. */
  fault: Fault | null
  triggeredAt: number
  /** What stopped the run, in a sentence; null if nothing did. */
  problem: string | null
  /** Records which step expected a delivery; null if none did. */
  claim(arrival: Arrival, index: number | null): void
}

export interface StepResult {
  readonly outcome: FlowOutcome
  readonly message: string
  readonly fix?: string
  /** The rules that failed, without the data. */
  readonly rule?: string
  readonly got?: string
  /** A short summary of the payload. */
  readonly told?: string
  readonly arrival?: Arrival
  /** The expectations with their values, in the order checked. */
  readonly checks?: readonly FlowCheck[]
  /** The handler's response. */
  readonly response?: FlowResponse
  /** The title with its references filled in. */
  readonly title?: string
  /** What a person must do now, with a real account. */
  readonly ask?: string
}

type More = Partial<StepResult>

const passed = (message: string, more: More = {}): StepResult => ({
  outcome: 'pass',
  message,
  ...more,
})

const skipped = (message: string): StepResult => ({ outcome: 'skip', message })

const failed = (message: string, fix: string, more: More = {}): StepResult => ({
  outcome: 'fail',
  message,
  fix,
  ...more,
})

const cancelled = skipped('Run cancelled.')

/** A value of the run beside the expected one; by default they must be the same. */
function line(
  field: string,
  expected: string,
  actual: string,
  passes = expected === actual,
  operator = passes ? '=' : '≠',
): FlowCheck {
  return { field, path: null, expected, operator, actual, passed: passes }
}

/** Why a step doesn't apply; null if it does, as far as is known before it runs. */
function skipReason(step: FlowStep, context: RunContext): string | null {
  const { service, handler, named, hooks } = context
  const target = service === null ? 'account' : 'sandbox'
  if (step.only !== undefined && step.only !== target)
    return `Skipped: only for ${step.only === 'sandbox' ? 'the sandbox' : 'a real account'}.`
  if (step.kind === 'rotate' && (service === null || !hooks.some(({ name }) => name === step.hook)))
    return 'Skipped: only the sandbox can rotate secrets.'
  if (step.kind !== 'answer') return null
  if (handler === null) return 'Skipped: no handler in this run.'
  return named.has(step.to) ? null : `Skipped: the delivery ${step.to} is missing.`
}

/** Whether a step does something now. If it doesn't, stepping passes it. */
export function doesSomething(step: FlowStep, context: RunContext): boolean {
  if (skipReason(step, context) !== null) return false
  if (step.kind === 'delivery' || step.kind === 'wait' || context.service === null) return true
  // A value that it needs may belong to a step that didn't pass.
  const { title: _, ...own } = step
  return referencesIn(own).every(({ name }) => name === null || context.remembered.has(name))
}

/** Runs a step. An error from the core becomes a failure with its message. */
export async function runStep(index: number, context: RunContext): Promise<StepResult> {
  const step = context.flow.steps[index]
  if (step === undefined) return skipped("This step doesn't exist.")
  if (isCause(step)) context.triggeredAt = context.time.now()
  const reason = skipReason(step, context)
  if (reason !== null) return skipped(reason)
  if (step.kind === 'trigger') context.fault = step.fault ?? null
  try {
    if (isCause(step)) return await cause(index, step, context)
    switch (step.kind) {
      case 'rotate':
        return await rotate(step, context)
      case 'wait':
        return await wait(step, context)
      case 'delivery':
        return await expectDelivery(step, index, context)
      case 'answer':
        return await answer(index, step, context)
      case 'check':
        return check(step, context)
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'CANCELLED') return cancelled
    if (isNotRemembered(error)) return skipped(error.message)
    return failed(error.message, 'Fix the step, or what it refers to.')
  }
}

// Steps that change something at the service. With a real account, a person does it.

type CauseStep = FlowStepOf<'trigger' | 'make' | 'change'>

const isCause = (step: FlowStep): step is CauseStep =>
  step.kind === 'trigger' || step.kind === 'make' || step.kind === 'change'

async function cause(index: number, step: CauseStep, context: RunContext): Promise<StepResult> {
  const { service } = context
  if (service !== null)
    return step.kind === 'trigger'
      ? trigger(index, step, context, service)
      : write(index, step, context, service)
  const usual =
    step.kind === 'trigger' ? causes[plainEventOf(step.event)].ask : 'Continue when you are ready.'
  return passed('Waiting for you.', { ask: step.ask ?? usual })
}

/** The first known object of a run, in words. */
function objectWords(objects: Readonly<Record<string, string>>): string {
  const kind = ['transaction', 'card', 'location', 'brand', 'program'].find(
    (one) => objects[one] !== undefined,
  )
  return kind === undefined ? '' : ` (${kind} ${objects[kind] ?? ''})`
}

/** Whether an event's payload has the first field of a path. */
function hasField(event: ShownEventType, path: string): boolean {
  return Object.hasOwn(payloadSchemas[event].shape, path.split('.')[0] ?? '')
}

/** The literals that are an input of the flow, or that an event it triggers has a field for. */
export function literalsFor(flow: Flow, literals: Literals): Literals {
  const has = (path: string) =>
    flow.inputs?.some(({ name }) => name === path) === true ||
    flow.steps.some((step) => step.kind === 'trigger' && hasField(step.event, path))
  return Object.fromEntries(Object.entries(literals).filter(([path]) => has(path)))
}

/** The fields that a step sets, with references filled in, and its numbers as written in the flow file. */
function settings(index: number, step: CauseStep, context: RunContext) {
  const written = Object.entries(context.literalsOfFile(['steps', String(index), 'set']))
  return {
    environment: context.environment.name,
    set: fillIn(step.set ?? {}, context.remembered) as Readonly<Record<string, unknown>>,
    // Values with references are computed.
    literals: Object.fromEntries(written.filter(([, literal]) => !literal.includes('${'))),
  }
}

async function trigger(
  index: number,
  step: FlowStepOf<'trigger'>,
  context: RunContext,
  service: FlowService,
): Promise<StepResult> {
  const { flow, remembered, changes, literals, signal } = context
  const { event, seed, fault, observed } = step
  const { environment, ...own } = settings(index, step, context)
  const about = step.of === undefined ? undefined : String(fillIn(step.of, remembered))
  const inputs = await applyInputs(flow, literals, { event, environment, of: about }, service)
  const fields = Object.entries(fieldLiterals(flow, literals)).filter(([path]) =>
    hasField(event, path),
  )
  const seen = changes.count()
  const arrived = context.arrivals.length
  const caused = service.trigger(
    {
      ...{ event, environment, seed, fault, observed, of: inputs.of },
      set: { ...inputs.set, ...own.set },
      literals: { ...inputs.literals, ...own.literals, ...Object.fromEntries(fields) },
    },
    signal,
  )
  // A hook may keep the service waiting for its response. If no step needs the ids, arrivals can be judged meanwhile.
  const holds = context.hooks.some(({ wanted }) => turnsOf(wanted).includes('timeout'))
  if (holds && step.as === undefined) {
    const some = (async () => {
      for (
        let count = seen;
        context.arrivals.length === arrived && !signal.aborted;
        count = changes.count()
      )
        await changes.after(count, signal)
      return null
    })()
    const first = await Promise.race([caused, some])
    caused.catch(() => undefined)
    if (first === null) return passed(`${event} triggered.`)
  }
  const { objects } = await caused
  if (step.as !== undefined) remembered.set(step.as, { ...objects })
  return passed(`${event} triggered${objectWords(objects)}.`)
}

async function write(
  index: number,
  step: FlowStepOf<'make' | 'change'>,
  context: RunContext,
  service: FlowService,
): Promise<StepResult> {
  const own = settings(index, step, context)
  const { id, title, data } = await (step.kind === 'make'
    ? service.make({ kind: step.object, ...own })
    : service.change({ id: String(fillIn(step.of, context.remembered)), ...own }))
  if (step.kind === 'make' && step.as !== undefined) context.remembered.set(step.as, data)
  return passed(`${step.kind === 'make' ? 'Made' : 'Changed'}: ${title} (${id}).`)
}

async function rotate(
  step: FlowStepOf<'rotate'>,
  { hooks, keeper, environment, service }: RunContext,
): Promise<StepResult> {
  const hook = hooks.find(({ name }) => name === step.hook)
  if (hook !== undefined && service !== null) await keeper.rotate(hook, environment.name, service)
  return passed(`Hook "${step.hook}" has a new secret. The previous one still verifies.`)
}

async function wait(
  step: FlowStepOf<'wait'>,
  { time, changes, signal, service }: RunContext,
): Promise<StepResult> {
  const deadline = time.now() + durationMs(step.for)
  while ((await time.next(deadline, changes.count(), signal)) !== 'deadline')
    if (signal.aborted) return cancelled
  return passed(`Waited ${step.for} of ${service === null ? 'real' : 'sandbox'} time.`)
}

// The delivery step: waits for the expected delivery and judges it.

type DeliveryStep = FlowStepOf<'delivery'>

/** With a real account a person must act first, so the step waits this much longer, in milliseconds. */
const PATIENCE_MS = 900_000

/** Resolves once decided. Throws `INVALID_INPUT` for an unknown reference. */
async function expectDelivery(
  step: DeliveryStep,
  index: number,
  context: RunContext,
): Promise<StepResult> {
  const { time, changes, signal, service } = context
  const { event, absent } = step
  const patience = service === null && !absent ? PATIENCE_MS : 0
  const began = time.now()
  const deadline = began + durationMs(step.within) + patience
  for (;;) {
    const seen = changes.count()
    const arrival = context.arrivals.find((one) => isMeant(step, one, context))
    if (arrival !== undefined) {
      context.claim(arrival, index)
      if (!absent) return judge(step, arrival, began, context)
      return failed(
        `Unexpected ${event} (${arrival.row.id}).`,
        "Check which hook received it, and that hook's offer.",
        {
          arrival,
          got: `${event} ${arrival.row.id}`,
          rule: 'absent',
          checks: [line(event, 'none', '1 delivery')],
        },
      )
    }
    if (signal.aborted) return cancelled
    if ((await time.next(deadline, seen, signal)) === 'deadline')
      return absent
        ? passed(`No ${event} within ${step.within}, as expected.`, {
            checks: [line(event, 'none', 'none')],
          })
        : missing(step, context)
  }
}

function isMeant(step: DeliveryStep, arrival: Arrival, { remembered, named }: RunContext): boolean {
  if (arrival.claimedBy !== null || arrival.event !== step.event) return false
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

function missing(step: DeliveryStep, context: RunContext): StepResult {
  const { arrivals, remembered, service } = context
  const { event, attempt = 1, within } = step
  const unclaimed = arrivals.filter(({ claimedBy }) => claimedBy === null)
  const others = unclaimed.map((one) => {
    const nth = one.attempt > 1 ? ` (attempt ${one.attempt})` : ''
    return `${one.event} ${one.row.id}${one.duplicateOf === null ? nth : ' (duplicate)'}`
  })
  const instead =
    others.length === 0
      ? 'No other deliveries arrived.'
      : `Unexpected deliveries: ${others.join(', ')}.`
  const unmet = unclaimed
    .filter((one) => one.event === event)
    .flatMap((one) => mismatchesOf(one, step.match, remembered))
  const why = unmet.length === 0 ? '' : ` Not matching: ${unmet.join('; ')}.`
  const limit = service === null ? ', plus 15 minutes for you to act' : ' of sandbox time'
  return {
    outcome: 'missing',
    checks: [line('Within', timeWords(durationMs(within)), 'not received')],
    message: `No ${event}${attempt === 1 ? '' : `, attempt ${attempt},`} within ${within}${limit}. ${instead}${why}`,
    fix:
      service === null
        ? "Check that a hook is registered for it with this receiver's public URL, and that the event was triggered."
        : 'Check the earlier steps: what should have triggered the event, and whether an earlier attempt was acknowledged.',
  }
}

/** What a step expects of its delivery: the values side by side, and the fault if they differ. */
interface Expectation {
  readonly checks: readonly FlowCheck[]
  /** The broken rule's name, what happened, and what to do. */
  readonly fault?: readonly [rule: string, message: string, fix: string] | false
}

/** `began`: when the step began to wait, in sandbox time. */
function expectationsOf(
  step: DeliveryStep,
  arrival: Arrival,
  began: number,
  { lastInOrder, remembered, named, triggeredAt }: RunContext,
): Expectation[] {
  const { row, schemaFailures, payload, attempt, businessAt, place } = arrival
  const found: Expectation[] = [
    {
      checks: [line('Signature', step.verdict, row.verdict)],
      fault: row.verdict !== step.verdict && [
        'signature',
        `Signature is ${row.verdict}, expected ${step.verdict}.`,
        'Open the delivery and check its signature. The diagnosis names the mistake.',
      ],
    },
    {
      checks: [line('Timestamp', step.freshness, row.freshness)],
      fault: row.freshness !== step.freshness && [
        'timestamp',
        `Timestamp is ${row.freshness}, expected ${step.freshness}.`,
        "Compare the timestamp header with this computer's clock (spec 5.2).",
      ],
    },
  ]
  if (step.schema === 'ok') {
    const errors = schemaFailures.length
    found.push({
      checks: [line('Schema', 'no errors', errors === 0 ? 'no errors' : counted(errors, 'error'))],
      fault: errors > 0 && [
        'schema',
        `Body doesn't match the ${step.event} schema: ${schemaFailures.join(' ')}`,
        'Open the delivery. Each schema error is shown at its field.',
      ],
    })
  }
  if (step.attempt !== undefined)
    found.push({ checks: [line('Attempt', String(step.attempt), String(attempt))] })
  if (step.repeats !== undefined) {
    const repeated = named.get(step.repeats)?.row.id ?? step.repeats
    found.push({ checks: [line('Duplicate of', repeated, arrival.duplicateOf ?? 'none')] })
  }
  const fields = [step.match, step.where].map((rules = {}) =>
    checksOfPayload(payload, rules, remembered),
  )
  const broken = fields[1]?.filter(({ mismatch }) => mismatch !== null) ?? []
  found.push({
    checks: fields.flat().map(({ check: one }) => one),
    fault: broken.length > 0 && [
      `where ${[...new Set(broken.map(({ check: { path } }) => path))].join(', ')}`,
      `${broken.map(({ mismatch }) => mismatch).join('; ')}.`,
      'Open the delivery and compare these fields with the step they come from.',
    ],
  })
  const waited = businessAt - triggeredAt
  const taken = Math.max(0, waited)
  if (step.after !== undefined) {
    const least = durationMs(step.after)
    const isLate = taken >= least
    found.push({
      checks: [line('Not before', timeWords(least), timeWords(taken), isLate, isLate ? '≤' : '>')],
      fault: waited < least && [
        'after',
        `Arrived ${timeWords(taken)} after its trigger, expected after at least ${step.after}.`,
        'Something sent this too early. Check what else was triggered.',
      ],
    })
  }
  const most = durationMs(step.within)
  // The limit runs from the start of the step. Since the trigger, as above, is easier to compare if it is within the limit too.
  const within = taken <= most ? taken : Math.max(0, businessAt - began)
  // A person with a real account has more time, and a delivery that is already on its way still counts.
  if (within <= most)
    found.push({ checks: [line('Within', timeWords(most), timeWords(within), true, '≥')] })
  if (step.order === 'strict' && lastInOrder !== null) {
    const isInOrder = place >= lastInOrder.place
    found.push({
      checks: [
        line('Order', `after ${lastInOrder.event}`, isInOrder ? 'after' : 'before', isInOrder),
      ],
      fault: !isInOrder && [
        'order',
        `Arrived before ${lastInOrder.event} (${lastInOrder.row.id}), which it should follow.`,
        'Nothing guarantees the order of deliveries, so your handler must accept this. To allow it in the flow, set "order": "any".',
      ],
    })
  }
  return found
}

function judge(
  step: DeliveryStep,
  arrival: Arrival,
  began: number,
  context: RunContext,
): StepResult {
  const expectations = expectationsOf(step, arrival, began, context)
  const faults = expectations.flatMap(({ fault = false }) => (fault === false ? [] : [fault]))
  const { lastInOrder, triggeredAt } = context
  if (step.order === 'strict' && (lastInOrder === null || arrival.place > lastInOrder.place))
    context.lastInOrder = arrival
  if (step.as !== undefined) {
    context.remembered.set(step.as, arrival.payload)
    context.named.set(step.as, arrival)
  }
  const { row, businessAt } = arrival
  const got = `${row.verdict} and ${row.freshness}, ${timeWords(Math.max(0, businessAt - triggeredAt))} after its trigger.`
  const told = [
    ...(row.verdict === 'valid' ? [] : [row.verdict]),
    ...(row.freshness === 'fresh' ? [] : [row.freshness]),
    ...payloadWords(arrival),
  ].join(' · ')
  const checks = expectations.flatMap((one) => one.checks)
  const more = { arrival, got, checks, ...(told === '' ? {} : { told }) }
  const first = faults[0]
  return first === undefined
    ? passed(capitalized(got), more)
    : failed(faults.map(([, message]) => message).join(' '), first[2], {
        ...more,
        rule: faults.map(([rule]) => rule).join('; '),
      })
}

/** The payload in the diagram: `12.50 GBP`, `visa …4001` for a transaction, the status of a location, the name of a brand or program. */
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

// The answer step: judges the response of the developer's handler.

const refusals: Readonly<Record<string, string>> = {
  'wrong-secret':
    'This delivery was signed with another secret. Compare the signatures and reject a mismatch (spec 5.2).',
  'single-pass':
    'This delivery was hashed once instead of twice. Compute the HMAC a second time, over the first result (spec 5.2).',
  'altered-body':
    'The body was changed after signing. Verify the signature over the raw bytes of the body (spec 5.2).',
  stale:
    'This delivery was signed ten minutes ago. Reject timestamps older than five minutes (spec 5.2).',
}

async function answer(
  index: number,
  step: FlowStepOf<'answer'>,
  context: RunContext,
): Promise<StepResult> {
  const { named, fault, signal } = context
  const arrival = named.get(step.to)
  const answering = arrival?.answer ?? null
  if (arrival === undefined || answering === null)
    return skipped(`Skipped: the delivery ${step.to} is missing.`)
  const response = await answering
  if (signal.aborted) return { ...cancelled, arrival }
  const { status, ms } = response
  const got =
    status === null
      ? (response.error ?? 'No response.')
      : `${status} after ${Math.round(ms ?? 0)} ms`
  const checks = checksOfAnswer(step, arrival, response, context)
  const more = { arrival, got, response, checks }
  if (status === null)
    return failed(
      `${noResponse[response.kind].sentence}: ${response.error ?? 'The connection ended.'}`,
      'Check that your handler runs at that URL and responds before it does slow work (spec 6.4).',
      { ...more, rule: 'response' },
    )
  if (step.accept) {
    context.hasAccepted ||= response.acknowledged
    return response.acknowledged
      ? passed(`Your handler returned ${got}.`, more)
      : failed(
          `Your handler returned ${status} for a valid delivery. Only ${acknowledging(context)} acknowledges it (spec 6.4).`,
          status === 401 || status === 403
            ? `Your handler considers the signature invalid. Compare the secret, the registered URL and the header name (${context.handler?.signatureHeader}) with your handler's, or open the delivery's Signature tab.`
            : "Check your handler's log for this delivery. The service would send it three times in all.",
          { ...more, rule: 'acknowledged' },
        )
  }
  if (!isRejecting(status))
    return failed(
      `Your handler returned ${status} for a delivery that it must reject.`,
      status >= 500
        ? "A rejection is a 4xx status, such as 401. Check your handler's log for this delivery."
        : (refusals[fault ?? ''] ??
            'Verify the signature and timestamp before anything else (spec 5.2).'),
      { ...more, rule: 'rejected' },
    )
  // A later step fails by itself if the handler rejects everything.
  const isProvenLater = context.flow.steps
    .slice(index + 1)
    .some((later) => later.kind === 'answer' && later.accept)
  return context.hasAccepted || isProvenLater
    ? passed(`Your handler rejected the delivery: ${got}.`, more)
    : failed(
        `Your handler returned ${status}, but it accepted no valid delivery in this flow, so this proves nothing.`,
        'Send a valid delivery first, with a step that expects your handler to accept it.',
        { ...more, rule: 'rejected' },
      )
}

const isRejecting = (status: number) => status >= 400 && status <= 499

const acknowledging = ({ environment }: RunContext) =>
  environment.ack === '2xx' ? 'a 2xx status' : '200'

const none = { sentence: "Your handler didn't respond", short: 'no response' }
const noResponse: Readonly<Record<FlowResponse['kind'], typeof none>> = {
  status: none,
  timeout: none,
  dropped: {
    sentence: 'Your handler closed the connection without a response',
    short: 'connection dropped',
  },
  unreachable: { sentence: "Couldn't reach your handler", short: 'unreachable' },
}

/** The status and the time; for a delivery to reject, also what is wrong with it. */
function checksOfAnswer(
  { accept }: FlowStepOf<'answer'>,
  { row }: Arrival,
  { status, ms, kind, acknowledged }: FlowResponse,
  context: RunContext,
): FlowCheck[] {
  const passes = accept ? acknowledged : status !== null && isRejecting(status)
  const wanted = accept ? acknowledging(context) : '4xx'
  const actual = status === null ? noResponse[kind].short : String(status)
  const checks = [line('Status', wanted, actual, passes)]
  if (!accept && row.freshness !== 'fresh')
    checks.unshift(line('Timestamp', row.freshness, row.freshness))
  if (!accept && row.verdict !== 'valid')
    checks.unshift(line('Signature', row.verdict, row.verdict))
  if (ms !== null && (status !== null || kind === 'timeout')) {
    const limit = timeWords(ACKNOWLEDGE_TIMEOUT_MS)
    const isInTime = status !== null
    checks.push(line('Responds within', limit, timeWords(ms), isInTime, isInTime ? '≥' : '<'))
  }
  return checks
}

function check(step: FlowStepOf<'check'>, { remembered }: RunContext): StepResult {
  const value = fillIn(step.value, remembered)
  const got = JSON.stringify(value)
  const name = unmarked(step.value)
  const owner = name.split('.')[0] ?? ''
  const currency = isReference(step.value) ? fieldAt(remembered.get(owner), 'currency') : undefined
  const found = checksOfRule({ field: name, path: null, value, currency }, step.rule, remembered)
  const checks = found.map(({ check: one }) => one)
  const wrong = found.find(({ mismatch }) => mismatch !== null)
  const title =
    step.title === undefined ? `${name} is ${got}` : String(fillIn(step.title, remembered))
  return wrong === undefined
    ? passed(`${name} is ${got}.`, { got, checks, title })
    : failed(
        `${name} ${wrong.mismatch}.`,
        `Expected ${ruleWords(step.rule)}. Check the delivery that the value comes from.`,
        { got, rule: name, checks, title },
      )
}
