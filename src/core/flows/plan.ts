/** Plans a flow for drawing and listing: each step with its actor, direction and expectation. */
import { actorOrder } from '../../shared/flow-diagram/words.ts'
import {
  durationMs,
  type Flow,
  type FlowActor,
  type FlowRules,
  type FlowStep,
  type FlowStepOf,
} from '../../shared/model/flow.ts'
import type { FlowPlan, FlowPlanStep, FlowSummary } from '../../shared/model/flow-run.ts'
import { isForgery } from '../../shared/model/notification.ts'
import { plainEventOf, type PlainEventType } from '../../shared/service/event-type.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import { inputChoices } from './inputs.ts'
import { ruleWords } from './rule-checks.ts'
import { unmarked } from './references.ts'

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
  /** Actor who causes the event (section 6.2). */
  readonly by: FlowActor
  readonly title: string
  /** Instruction for a person to cause the event with a real account. */
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

const creators: Readonly<Record<string, FlowActor>> = {
  brand: 'brand',
  location: 'brand',
  offer: 'brand',
  card: 'cardholder',
}

type Description = Pick<FlowPlanStep, 'actor' | 'from' | 'to' | 'title'> &
  Partial<Pick<FlowPlanStep, 'expected' | 'lastsMs' | 'afterMs'>>

const fromTo = (from: FlowActor, to: FlowActor) => ({ actor: from, from, to })

/** Describes a step with its event; `isForged` if the last trigger was an attacker's. */
function describeStep(
  step: FlowStep,
  { isForged, event }: { readonly isForged: boolean; readonly event: string | null },
): Description {
  switch (step.kind) {
    case 'trigger': {
      const { by, title } = causes[plainEventOf(step.event)]
      const { fault } = step
      const action = fault !== undefined && isForgery(fault) ? `Forged ${step.event}` : title
      return {
        ...(isForged ? fromTo('attacker', 'attacker') : fromTo(by, 'service')),
        title: fault === undefined ? action : `${action}, ${faultWords[fault]}`,
      }
    }
    case 'make':
      return {
        ...fromTo(creators[step.object] ?? 'service', 'service'),
        title: `Create ${step.object === 'offer' ? 'an' : 'a'} ${step.object}`,
      }
    case 'change':
      return {
        ...fromTo('brand', 'service'),
        title: Object.entries(step.set)
          .map(([path, value]) => `${path} becomes ${unmarked(JSON.stringify(value))}`)
          .join(', '),
      }
    case 'rotate':
      return { ...fromTo('receiver', 'service'), title: 'Rotate the secret' }
    case 'delivery':
      return {
        ...fromTo(isForged && step.verdict !== 'valid' ? 'attacker' : 'service', 'receiver'),
        title: step.absent
          ? `no ${step.event}`
          : `${step.event}${step.attempt === undefined ? '' : `, attempt ${step.attempt}`}`,
        expected: deliveryWords(step),
        lastsMs: durationMs(step.within),
        afterMs: step.after === undefined ? null : durationMs(step.after),
      }
    case 'answer':
      return {
        ...fromTo('receiver', 'handler'),
        actor: 'handler',
        title: `Your handler should ${step.accept ? 'accept' : 'reject'} ${event ?? 'the delivery'}`,
        expected: step.accept ? '200 within 20 s' : 'any status except 2xx, within 20 s',
        lastsMs: ACKNOWLEDGE_TIMEOUT_MS,
      }
    case 'wait':
      return {
        ...fromTo('service', 'service'),
        title: `Wait ${step.for}`,
        lastsMs: durationMs(step.for),
      }
    case 'check': {
      const title = `${unmarked(step.value)} is ${ruleWords(step.rule)}`
      return { ...fromTo('receiver', 'receiver'), title, expected: title }
    }
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

interface NamedStep {
  readonly kind: string
  readonly name?: string | undefined
  readonly as?: string | undefined
}

export function stepNames({ steps }: { readonly steps: readonly NamedStep[] }): string[] {
  return steps.map(({ kind, name, as }, index) => name ?? as ?? `${kind}-${index + 1}`)
}

/** Returns the event that a step triggers or expects, or whose delivery the handler responds to. */
function eventOf(step: FlowStep, { steps }: Flow): string | null {
  if (step.kind !== 'answer') return 'event' in step ? step.event : null
  return (
    steps.filter((delivery) => delivery.kind === 'delivery').find(({ as }) => as === step.to)
      ?.event ?? null
  )
}

export function planSteps(flow: Flow): FlowPlanStep[] {
  const names = stepNames(flow)
  let isForged = false
  return flow.steps.map((step, index) => {
    if (step.kind === 'trigger') isForged = step.fault !== undefined && isForgery(step.fault)
    const event = eventOf(step, flow)
    const { actor, from, to, title, ...details } = describeStep(step, { isForged, event })
    return {
      index,
      name: names[index] ?? '',
      kind: step.kind,
      actor,
      from,
      to,
      title: step.title === undefined ? title : unmarked(step.title),
      event,
      expected: details.expected ?? null,
      lastsMs: details.lastsMs ?? null,
      afterMs: details.afterMs ?? null,
    }
  })
}

/** Explains why a flow needs the sandbox; null if a person can do its steps with a real account. */
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

export function flowSummary(
  flow: Flow,
  { isBuiltIn }: { readonly isBuiltIn: boolean },
): FlowSummary {
  return {
    name: flow.name,
    title: flow.title,
    about: flow.about ?? null,
    sections: flow.sections ?? [],
    mode: flow.mode,
    steps: flow.steps.length,
    sandboxOnly: needsSandbox(flow),
    builtIn: isBuiltIn,
    inputs: (flow.inputs ?? []).map(({ name }) => ({ name, ...inputChoices[name] })),
  }
}

export function planOf(flow: Flow, origin: string | null, source: string): FlowPlan {
  const steps = planSteps(flow)
  const involvedActors = new Set(steps.flatMap(({ from, to }) => [from, to]))
  return {
    ...flowSummary(flow, { isBuiltIn: origin === null }),
    actors: actorOrder.filter((actor) => involvedActors.has(actor)),
    steps,
    source,
    origin,
  }
}
