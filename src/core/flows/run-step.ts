/** Runs a single step of any kind. */
import type { Literals } from '../../shared/body/json-literals.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  durationMs,
  type FlowStep,
  type FlowStepOf,
  type FlowCheck,
  type FlowResponse,
} from '../../shared/model/flow.ts'
import { plainEventOf, type ShownEventType } from '../../shared/service/event-type.ts'
import { payloadSchemas } from '../../shared/service/payload-schemas.ts'
import type { SendFailureKind } from '../../shared/model/send.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import { timeWords } from '../../shared/flow-diagram/words.ts'
import type { Arrival } from './run-inbox.ts'
import type { HandlerAnswer } from './handler.ts'
import { turnsOf } from './run-hooks.ts'
import { applyInputs, fieldLiterals } from './inputs.ts'
import { expectDelivery, skipAborted } from './expect-delivery.ts'
import { causes } from './plan.ts'
import { fieldAt } from '../sandbox/scene.ts'
import { fillIn, isNotRemembered, isReference, referencesIn, unmarked } from './references.ts'
import { checksOfRule, departureOf, departureWords, ruleWords } from './rules.ts'
import { failed, passed, skipped, type RunContext, type StepResult } from './run-state.ts'

type Set = Readonly<Record<string, unknown>>

function askFor(step: FlowStep): string {
  if ('ask' in step && step.ask !== undefined) return step.ask
  return step.kind === 'trigger'
    ? causes[plainEventOf(step.event)].ask
    : 'Continue when you are ready.'
}

/** The first known object of a run, in words. */
function objectWords(objects: Readonly<Record<string, string>>): string {
  const [kind] = ['transaction', 'card', 'location', 'brand', 'program'].filter(
    (one) => objects[one] !== undefined,
  )
  return kind === undefined ? '' : ` (${kind} ${objects[kind] ?? ''})`
}

/** Whether an event's payload has the first field of a path. */
export function hasField(event: ShownEventType, path: string): boolean {
  return Object.hasOwn(payloadSchemas[event].shape, path.split('.')[0] ?? '')
}

/** Numbers under a step's `set` as written in the flow file. Values with references are computed. */
function literalsUnder(index: number, { literalsOfFile }: RunContext): Literals {
  const written = Object.entries(literalsOfFile(['steps', String(index), 'set']))
  return Object.fromEntries(written.filter(([, literal]) => !literal.includes('${')))
}

async function trigger(
  index: number,
  step: FlowStepOf<'trigger'>,
  context: RunContext,
): Promise<StepResult> {
  const { service, remembered, environment, changes, literals, signal } = context
  context.fault = step.fault ?? null
  if (service === null) return { ...passed('Waiting for you.'), ask: askFor(step) }
  const { event, seed, fault, observed } = step
  const about = step.of === undefined ? undefined : String(fillIn(step.of, remembered))
  const { of, ...inputs } = await applyInputs(
    context.flow,
    literals,
    { event, environment, of: about },
    service,
  )
  const set = { ...inputs.set, ...(fillIn(step.set ?? {}, remembered) as Set) }
  const seen = changes.count()
  const arrived = context.arrivals.length
  const fields = Object.entries(fieldLiterals(context.flow, literals)).filter(([path]) =>
    hasField(event, path),
  )
  const mine = {
    ...inputs.literals,
    ...literalsUnder(index, context),
    ...Object.fromEntries(fields),
  }
  const caused = service.trigger(
    { event, environment, of, set, literals: mine, seed, fault, observed },
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
    if (first === null) return passed(`${step.event} triggered.`)
  }
  const { objects } = await caused
  if (step.as !== undefined) remembered.set(step.as, { ...objects })
  return passed(`${step.event} triggered${objectWords(objects)}.`)
}

async function make(
  index: number,
  step: FlowStepOf<'make'>,
  context: RunContext,
): Promise<StepResult> {
  const { service, remembered, environment } = context
  if (service === null) return { ...passed('Waiting for you.'), ask: askFor(step) }
  const set = fillIn(step.set ?? {}, remembered) as Set
  const made = await service.make({
    kind: step.object,
    environment,
    set,
    literals: literalsUnder(index, context),
  })
  if (step.as !== undefined) remembered.set(step.as, made.data)
  return passed(`Made: ${made.title} (${made.id}).`)
}

async function change(
  index: number,
  step: FlowStepOf<'change'>,
  context: RunContext,
): Promise<StepResult> {
  const { service, remembered, environment } = context
  if (service === null) return { ...passed('Waiting for you.'), ask: askFor(step) }
  const id = String(fillIn(step.of, remembered))
  const set = fillIn(step.set, remembered) as Set
  const changed = await service.change({
    id,
    environment,
    set,
    literals: literalsUnder(index, context),
  })
  return passed(`Changed: ${changed.title} (${changed.id}).`)
}

async function rotate(step: FlowStepOf<'rotate'>, context: RunContext): Promise<StepResult> {
  const hook = context.hooks.find(({ name }) => name === step.hook)
  if (hook === undefined || context.service === null)
    return skipped('Skipped: only the sandbox can rotate secrets.')
  await context.rotate(hook)
  return passed(`Hook "${step.hook}" has a new secret. The previous one still verifies.`)
}

async function wait(
  step: FlowStepOf<'wait'>,
  { time, changes, signal, service }: RunContext,
): Promise<StepResult> {
  const deadline = time.now() + durationMs(step.for)
  while ((await time.next(deadline, changes.count(), signal)) !== 'deadline')
    if (signal.aborted) return skipAborted
  return passed(`Waited ${step.for} of ${service === null ? 'real' : 'sandbox'} time.`)
}

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
  const { answers, named, fault, signal } = context
  const arrival = named.get(step.to)
  const answering = arrival === undefined ? undefined : answers?.get(arrival.row.id)
  if (arrival === undefined || answering === undefined)
    return skipped(`Skipped: the delivery ${step.to} is missing.`)
  const answered = await answering
  if (signal.aborted) return { ...skipAborted, arrival }
  const response = responseOf(answered, context)
  const { status, ms } = answered
  const got =
    status === null ? (response.error ?? 'No response.') : `${status} after ${Math.round(ms)} ms`
  const more = {
    arrival,
    got,
    ms,
    response,
    checks: checksOfAnswer(step, arrival, response, context),
  }
  if (status === null)
    return failed(
      noResponse[response.kind](response.error ?? 'The connection ended.'),
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
            ? "Your handler considers the signature invalid. Compare the secret and registered URL set here with your handler's, or open the delivery's Signature tab."
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

const acknowledging = ({ acknowledges }: RunContext) => (acknowledges(204) ? 'a 2xx status' : '200')

const noResponse: Readonly<Record<FlowResponse['kind'], (error: string) => string>> = {
  status: (error) => `Your handler didn't respond: ${error}`,
  timeout: (error) => `Your handler didn't respond: ${error}`,
  dropped: (error) => `Your handler closed the connection without a response: ${error}`,
  unreachable: (error) => `Couldn't reach your handler: ${error}`,
}

/** Failures before anything was sent. */
const unreachable = new Set<SendFailureKind>([
  'refused',
  'unknown-host',
  'certificate',
  'tls',
  'not-allowed',
])

function responseOf(
  { status, ms, failure, wasSent, sendId }: HandlerAnswer,
  { acknowledges }: RunContext,
): FlowResponse {
  const isUnreachable = failure !== null && (!wasSent || unreachable.has(failure.kind))
  return {
    by: 'handler',
    kind:
      status !== null
        ? 'status'
        : isUnreachable
          ? 'unreachable'
          : failure?.kind === 'timeout'
            ? 'timeout'
            : 'dropped',
    status,
    ms,
    error: failure?.message ?? null,
    acknowledged: status !== null && acknowledges(status),
    sendId,
  }
}

const unanswered: Readonly<Record<FlowResponse['kind'], string>> = {
  status: 'no response',
  timeout: 'no response',
  dropped: 'connection dropped',
  unreachable: 'unreachable',
}

/** The status and the time; for a delivery to reject, also what is wrong with it. */
function checksOfAnswer(
  { accept }: FlowStepOf<'answer'>,
  { row }: Arrival,
  { status, ms, kind, acknowledged }: FlowResponse,
  context: RunContext,
): FlowCheck[] {
  const passes = accept ? acknowledged : status !== null && isRejecting(status)
  const line = (field: string, expected: string, actual: string): FlowCheck => {
    return { field, path: null, expected, operator: '=', actual, passed: true }
  }
  const limit = timeWords(ACKNOWLEDGE_TIMEOUT_MS)
  return [
    ...(accept || row.verdict === 'valid' ? [] : [line('Signature', row.verdict, row.verdict)]),
    ...(accept || row.freshness === 'fresh'
      ? []
      : [line('Timestamp', row.freshness, row.freshness)]),
    {
      ...line(
        'Status',
        accept ? acknowledging(context) : '4xx',
        status === null ? unanswered[kind] : String(status),
      ),
      operator: passes ? '=' : '≠',
      passed: passes,
    },
    ...(ms === null || (status === null && kind !== 'timeout')
      ? []
      : [
          {
            ...line('Responds within', limit, timeWords(ms)),
            operator: status === null ? '<' : '≥',
            passed: status !== null,
          },
        ]),
  ]
}

function check(step: FlowStepOf<'check'>, { remembered }: RunContext): StepResult {
  const value = fillIn(step.value, remembered)
  const departure = departureOf('', value, step.rule, remembered)
  const got = JSON.stringify(value)
  const name = unmarked(step.value)
  const owner = name.split('.')[0] ?? ''
  const currency = isReference(step.value) ? fieldAt(remembered.get(owner), 'currency') : undefined
  const checks = checksOfRule({ field: name, path: null, value, currency }, step.rule, remembered)
  const title =
    step.title === undefined ? `${name} is ${got}` : String(fillIn(step.title, remembered))
  return departure === null
    ? passed(`${name} is ${got}.`, { got, checks, title })
    : failed(
        `${name} ${departureWords(departure)}.`,
        `Expected ${ruleWords(step.rule)}. Check the delivery that the value comes from.`,
        { got, rule: name, checks, title },
      )
}

/** Whether one of the values that a step needs belongs to a step that didn't pass. */
function lacksValue({ title: _, ...step }: FlowStep, { remembered }: RunContext): boolean {
  return referencesIn(step).some(({ name }) => name !== null && !remembered.has(name))
}

/** Why a step doesn't apply; null if it does, as far as is known before it runs. */
export function skipReason(step: FlowStep, context: RunContext): string | null {
  const { service, answers, named, hooks } = context
  const target = service === null ? 'account' : 'sandbox'
  if (step.only !== undefined && step.only !== target)
    return `Skipped: only for ${step.only === 'sandbox' ? 'the sandbox' : 'a real account'}.`
  if (step.kind === 'rotate' && (service === null || !hooks.some(({ name }) => name === step.hook)))
    return 'Skipped: only the sandbox can rotate secrets.'
  if (step.kind !== 'answer') return null
  if (answers === null) return 'Skipped: no handler in this run.'
  return named.has(step.to) ? null : `Skipped: the delivery ${step.to} is missing.`
}

/** Whether a step does something now. If it doesn't, stepping passes it. */
export function doesSomething(step: FlowStep, context: RunContext): boolean {
  const isStill = step.kind === 'delivery' || step.kind === 'wait'
  return (
    skipReason(step, context) === null &&
    (isStill || context.service === null || !lacksValue(step, context))
  )
}

/** Runs a step. An error from the core becomes a failure with its message. `began` is the sandbox time of the last trigger. */
export async function runStep(
  index: number,
  context: RunContext,
  began: number,
): Promise<StepResult> {
  const step = context.flow.steps[index]
  if (step === undefined) return skipped("This step doesn't exist.")
  const reason = skipReason(step, context)
  if (reason !== null) return skipped(reason)
  try {
    switch (step.kind) {
      case 'trigger':
        return await trigger(index, step, context)
      case 'make':
        return await make(index, step, context)
      case 'change':
        return await change(index, step, context)
      case 'rotate':
        return await rotate(step, context)
      case 'wait':
        return await wait(step, context)
      case 'delivery':
        return await expectDelivery(step, index, context, began)
      case 'answer':
        return await answer(index, step, context)
      case 'check':
        return check(step, context)
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'CANCELLED') return skipAborted
    if (isNotRemembered(error)) return skipped(error.message)
    return failed(error.message, 'Fix the step, or what it refers to.')
  }
}
