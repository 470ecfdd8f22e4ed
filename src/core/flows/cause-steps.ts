/** Runs the steps that change something at the service; with a real account, a person does it. */
import type { Literals } from '../../shared/body/json-literals.ts'
import { durationMs, type Flow, type FlowStep, type FlowStepOf } from '../../shared/model/flow.ts'
import { plainEventOf, type ShownEventType } from '../../shared/service/event-type.ts'
import { payloadSchemas } from '../../shared/service/payload-schemas.ts'
import { responsesInTurn } from './run-hooks.ts'
import { applyInputs, fieldLiterals } from './inputs.ts'
import { causes } from './plan.ts'
import { fillIn } from './references.ts'
import type { RunContext } from './run-context.ts'
import type { FlowService } from './flow-service.ts'
import { type StepResult, passed, cancelledResult } from './step-result.ts'

type CauseStep = FlowStepOf<'trigger' | 'make' | 'change'>

export const isCauseStep = (step: FlowStep): step is CauseStep =>
  step.kind === 'trigger' || step.kind === 'make' || step.kind === 'change'

export async function runCauseStep(
  index: number,
  step: CauseStep,
  context: RunContext,
): Promise<StepResult> {
  const { service } = context
  if (service !== null)
    return step.kind === 'trigger'
      ? trigger(index, step, context, service)
      : writeObject(index, step, context, service)
  const defaultAsk =
    step.kind === 'trigger' ? causes[plainEventOf(step.event)].ask : 'Continue when you are ready.'
  return passed('Waiting for you.', { ask: step.ask ?? defaultAsk })
}

function objectWords(objects: Readonly<Record<string, string>>): string {
  const kind = ['transaction', 'card', 'location', 'brand', 'program'].find(
    (name) => objects[name] !== undefined,
  )
  return kind === undefined ? '' : ` (${kind} ${objects[kind] ?? ''})`
}

/** Whether an event's payload has the first field of a path. */
function hasField(event: ShownEventType, path: string): boolean {
  return Object.hasOwn(payloadSchemas[event].shape, path.split('.')[0] ?? '')
}

/** Keeps the literals that are an input of the flow or a field of an event it triggers. */
export function literalsFor(flow: Flow, literals: Literals): Literals {
  const has = (path: string) =>
    flow.inputs?.some(({ name }) => name === path) === true ||
    flow.steps.some((step) => step.kind === 'trigger' && hasField(step.event, path))
  return Object.fromEntries(Object.entries(literals).filter(([path]) => has(path)))
}

/**
 * Returns the fields that a step sets: references filled in, numbers as written in the flow file.
 */
function fieldsToSet(index: number, step: CauseStep, context: RunContext) {
  const literals = Object.entries(context.literalsOfFile(['steps', String(index), 'set']))
  return {
    environment: context.environment.name,
    set: fillIn(step.set ?? {}, context.remembered) as Readonly<Record<string, unknown>>,
    // Literals with references are left out, because `set` has their values.
    literals: Object.fromEntries(literals.filter(([, literal]) => !literal.includes('${'))),
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
  const { environment, ...ownFields } = fieldsToSet(index, step, context)
  const about = step.of === undefined ? undefined : String(fillIn(step.of, remembered))
  const inputs = await applyInputs(flow, literals, { event, environment, of: about }, service)
  const fields = Object.entries(fieldLiterals(flow, literals)).filter(([path]) =>
    hasField(event, path),
  )
  const changeCount = changes.count()
  const arrivalCount = context.arrivals.length
  const triggering = service.trigger(
    {
      ...{ event, environment, seed, fault, observed, of: inputs.of },
      set: { ...inputs.set, ...ownFields.set },
      literals: { ...inputs.literals, ...ownFields.literals, ...Object.fromEntries(fields) },
    },
    signal,
  )
  // The receiver may hold its response to force a timeout, so the step ends with the first arrival,
  // not with the trigger, unless a later step needs the trigger's objects.
  const mayHold = context.hooks.some(({ declared }) =>
    responsesInTurn(declared).includes('timeout'),
  )
  if (mayHold && step.as === undefined) {
    const untilArrival = async () => {
      let seen = changeCount
      while (context.arrivals.length === arrivalCount && !signal.aborted) {
        await changes.after(seen, signal)
        seen = changes.count()
      }
      return 'arrived'
    }
    const first = await Promise.race([triggering, untilArrival()])
    triggering.catch(() => undefined)
    if (first === 'arrived') return passed(`${event} triggered.`)
  }
  const { objects } = await triggering
  if (step.as !== undefined) remembered.set(step.as, { ...objects })
  return passed(`${event} triggered${objectWords(objects)}.`)
}

async function writeObject(
  index: number,
  step: FlowStepOf<'make' | 'change'>,
  context: RunContext,
  service: FlowService,
): Promise<StepResult> {
  const fields = fieldsToSet(index, step, context)
  const { id, title, data } = await (step.kind === 'make'
    ? service.make({ kind: step.object, ...fields })
    : service.change({ id: String(fillIn(step.of, context.remembered)), ...fields }))
  if (step.kind === 'make' && step.as !== undefined) context.remembered.set(step.as, data)
  return passed(`${step.kind === 'make' ? 'Made' : 'Changed'}: ${title} (${id}).`)
}

export async function runRotateStep(
  step: FlowStepOf<'rotate'>,
  { hooks, runHooks, environment, service }: RunContext,
): Promise<StepResult> {
  const hook = hooks.find(({ name }) => name === step.hook)
  if (hook !== undefined && service !== null) await runHooks.rotate(hook, environment.name, service)
  return passed(`Hook "${step.hook}" has a new secret. The previous one still verifies.`)
}

export async function runWaitStep(
  step: FlowStepOf<'wait'>,
  { time, changes, signal, service }: RunContext,
): Promise<StepResult> {
  const deadline = time.now() + durationMs(step.for)
  while ((await time.next(deadline, changes.count(), signal)) !== 'deadline')
    if (signal.aborted) return cancelledResult
  return passed(`Waited ${step.for} of ${service === null ? 'real' : 'sandbox'} time.`)
}
