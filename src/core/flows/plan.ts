/** A flow for drawing and listing: each step with its actor, direction and expectation. */
import {
  durationMs,
  type Flow,
  type FlowActor,
  type FlowStep,
  type FlowStepOf,
  type FlowRules,
  type FlowPlan,
  type FlowPlanStep,
  type FlowSummary,
} from '../../shared/model/flow.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import { plainEventOf, type PlainEventType } from '../../shared/service/event-type.ts'
import { actorOrder } from '../../shared/flow-diagram/words.ts'
import { isForgery } from '../../shared/model/sandbox.ts'
import { unmarked } from './references.ts'
import { inputChoices } from './inputs.ts'
import { ruleWords } from './rules.ts'

const madeBy: Readonly<Record<string, FlowActor>> = {
  brand: 'brand',
  location: 'brand',
  offer: 'brand',
  card: 'cardholder',
}

const ends = (from: FlowActor, to: FlowActor) => ({ actor: from, from, to })

/** `isForged`: the last trigger before a delivery was an attacker's. */
function actorsOf(
  step: FlowStep,
  isForged: boolean,
): { readonly actor: FlowActor; readonly from: FlowActor; readonly to: FlowActor } {
  switch (step.kind) {
    case 'trigger':
      return isForged
        ? ends('attacker', 'attacker')
        : ends(causes[plainEventOf(step.event)].by, 'service')
    case 'make':
      return ends(madeBy[step.object] ?? 'service', 'service')
    case 'change':
      return ends('brand', 'service')
    case 'rotate':
      return ends('receiver', 'service')
    case 'delivery':
      return ends(isForged && step.verdict !== 'valid' ? 'attacker' : 'service', 'receiver')
    case 'answer':
      return { actor: 'handler', from: 'receiver', to: 'handler' }
    case 'wait':
      return ends('service', 'service')
    case 'check':
      return ends('receiver', 'receiver')
  }
}

const faultWords = {
  duplicate: 'sent twice',
  'out-of-order': 'sent out of order',
  late: 'a day late',
  'wrong-secret': 'signed with another secret',
  'single-pass': 'hashed once, not twice',
  stale: 'signed ten minutes ago',
  'altered-body': 'changed after signing',
} as const

interface Cause {
  /** Who causes the event (section 6.2). */
  readonly by: FlowActor
  readonly title: string
  /** What a person does to cause the event with a real account. */
  readonly ask: string
}

export const causes: Readonly<Record<PlainEventType, Cause>> = {
  'brand.consent': {
    by: 'brand',
    title: 'Brand consents',
    ask: 'Create a brand in the test environment. Its consent is approved immediately.',
  },
  'program.status': {
    by: 'service',
    title: 'Program syncs',
    ask: 'Start a program sync.',
  },
  'location.status': {
    by: 'network',
    title: 'Card network reports a location',
    ask: "Create a location in one of the test environment's programs.",
  },
  'card.linked': {
    by: 'cardholder',
    title: 'Card linked',
    ask: 'Link a test card to the program.',
  },
  'card.failed': {
    by: 'cardholder',
    title: 'Card link fails',
    ask: 'Try to link a card that the service rejects.',
  },
  'transaction.auth': {
    by: 'cardholder',
    title: 'Card payment',
    ask: "Pay with a linked test card at one of the program's locations where auths are enabled.",
  },
  'transaction.clearing': {
    by: 'network',
    title: 'Payment settled',
    ask: 'Wait until the payment is settled (48 to 72 hours).',
  },
  'transaction.refund': {
    by: 'cardholder',
    title: 'Payment refunded',
    ask: 'Refund the payment.',
  },
}

/** `event`: of the delivery that the step is about. */
function titleOf(step: FlowStep, event: string | null): string {
  if (step.title !== undefined) return unmarked(step.title)
  switch (step.kind) {
    case 'trigger': {
      const cause = causes[plainEventOf(step.event)].title
      if (step.fault === undefined) return cause
      return `${isForgery(step.fault) ? `Forged ${step.event}` : cause}, ${faultWords[step.fault]}`
    }
    case 'make':
      return `Create ${step.object === 'offer' ? 'an' : 'a'} ${step.object}`
    case 'change':
      return Object.entries(step.set)
        .map(([path, value]) => `${path} becomes ${unmarked(JSON.stringify(value))}`)
        .join(', ')
    case 'rotate':
      return 'Rotate the secret'
    case 'delivery':
      return step.absent
        ? `no ${step.event}`
        : `${step.event}${step.attempt === undefined ? '' : `, attempt ${step.attempt}`}`
    case 'answer':
      return `Your handler ${step.accept ? 'accepts' : 'rejects'} ${event ?? 'the delivery'}`
    case 'wait':
      return `Wait ${step.for}`
    case 'check':
      return `${unmarked(step.value)} is ${ruleWords(step.rule)}`
  }
}

function rulesWords(rules: FlowRules | undefined): string[] {
  return Object.entries(rules ?? {}).map(([path, rule]) => `${path} is ${ruleWords(rule)}`)
}

function deliveryWords(step: FlowStepOf<'delivery'>): string {
  const words = [
    step.absent ? `no ${step.event} within ${step.within}` : `${step.event} within ${step.within}`,
    ...(step.after === undefined ? [] : [`after at least ${step.after}`]),
    ...(step.attempt === undefined ? [] : [`attempt ${step.attempt}`]),
    ...(step.repeats === undefined ? [] : [`duplicate of ${step.repeats}`]),
    ...(step.verdict === 'valid' ? [] : [`signature ${step.verdict}`]),
    ...(step.freshness === 'fresh' ? [] : [`timestamp ${step.freshness}`]),
    ...rulesWords(step.match),
    ...rulesWords(step.where),
  ]
  return words.join('; ')
}

function expectedOf(step: FlowStep): string | null {
  if (step.kind === 'delivery') return deliveryWords(step)
  if (step.kind === 'answer')
    return step.accept ? '200 within 20 s' : 'any status except 2xx, within 20 s'
  return step.kind === 'check' ? `${unmarked(step.value)} is ${ruleWords(step.rule)}` : null
}

function lastsOf(step: FlowStep): number | null {
  if (step.kind === 'wait') return durationMs(step.for)
  if (step.kind === 'delivery') return durationMs(step.within)
  return step.kind === 'answer' ? ACKNOWLEDGE_TIMEOUT_MS : null
}

interface NamedStep {
  readonly kind: string
  readonly name?: string | undefined
  readonly as?: string | undefined
}

/** The name of each step in reports: its own name, its saved name, or its kind and position. */
export function stepNames({ steps }: { readonly steps: readonly NamedStep[] }): string[] {
  return steps.map(({ kind, name, as }, index) => name ?? as ?? `${kind}-${index + 1}`)
}

/** The event that a step triggers or expects, or whose delivery your handler responds to. */
function eventOf(step: FlowStep, { steps }: Flow): string | null {
  if (step.kind !== 'answer') return 'event' in step ? step.event : null
  return (
    steps.filter((one) => one.kind === 'delivery').find(({ as }) => as === step.to)?.event ?? null
  )
}

/** For each step, whether the last trigger up to it forges its deliveries. */
function forgedSteps({ steps }: Flow): boolean[] {
  let isForged = false
  return steps.map((step) => {
    if (step.kind === 'trigger') isForged = step.fault !== undefined && isForgery(step.fault)
    return isForged
  })
}

export function planSteps(flow: Flow): FlowPlanStep[] {
  const names = stepNames(flow)
  const forged = forgedSteps(flow)
  const events = flow.steps.map((step) => eventOf(step, flow))
  return flow.steps.map((step, index) => ({
    index,
    name: names[index] ?? '',
    kind: step.kind,
    ...actorsOf(step, forged[index] ?? false),
    title: titleOf(step, events[index] ?? null),
    event: events[index] ?? null,
    expected: expectedOf(step),
    lastsMs: lastsOf(step),
    afterMs: step.kind === 'delivery' && step.after !== undefined ? durationMs(step.after) : null,
  }))
}

/** Why a flow needs the sandbox, as a sentence; null if a person can do its steps with a real account. */
export function needsSandbox({ hooks = [], steps, mode }: Flow): string | null {
  if (hooks.some(({ answers }) => answers !== undefined))
    return 'This flow rejects first attempts to cause retries.'
  if (hooks.length > 0) return 'This flow creates its own hooks.'
  if (mode === 'live') return "This flow needs live mode. Don't test with a live account."
  for (const step of steps) {
    if (step.only === 'sandbox') continue
    if (step.kind === 'trigger' && step.fault !== undefined)
      return 'This flow makes the service break the spec on purpose.'
    if (step.kind === 'rotate') return "This flow rotates a hook's secret."
    if ((step.kind === 'make' || step.kind === 'change') && step.ask === undefined)
      return `This flow changes the service's objects (step ${step.kind}) without telling you what to do.`
  }
  return null
}

export function flowSummary(flow: Flow, builtIn: boolean): FlowSummary {
  return {
    name: flow.name,
    title: flow.title,
    about: flow.about ?? null,
    sections: flow.sections ?? [],
    mode: flow.mode,
    steps: flow.steps.length,
    sandboxOnly: needsSandbox(flow),
    builtIn,
    inputs: (flow.inputs ?? []).map(({ name }) => ({ name, ...inputChoices[name] })),
  }
}

export function planOf(flow: Flow, origin: string | null, source: string): FlowPlan {
  const steps = planSteps(flow)
  const taking = new Set(steps.flatMap(({ from, to }) => [from, to]))
  return {
    ...flowSummary(flow, origin === null),
    actors: actorOrder.filter((actor) => taking.has(actor)),
    steps,
    source,
    origin,
  }
}
