/**
 * A flow before it runs, for drawing and listing: each step with its actor, direction and expectation, and its inputs, values of its
 * payment or card that a person sets. They stay as typed.
 */
import { literalValue, type Literals } from '../../shared/body/json-literals.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { actorOrder } from '../../shared/flow-diagram/words.ts'
import {
  durationMs,
  type Flow,
  type FlowActor,
  type FlowInputName,
  type FlowPlan,
  type FlowPlanStep,
  type FlowRules,
  type FlowStep,
  type FlowStepOf,
  type FlowSummary,
} from '../../shared/model/flow.ts'
import { isForgery } from '../../shared/model/sandbox.ts'
import {
  isTransactionEvent,
  plainEventOf,
  type PlainEventType,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import { schemes } from '../../shared/service/resources.ts'
import { minorDigits } from '../../shared/text/amount.ts'
import { places } from '../sandbox/sample-cities.ts'
import { ruleWords, unmarked } from './rules.ts'
import type { FlowService } from './service.ts'

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

const madeBy: Readonly<Record<string, FlowActor>> = {
  brand: 'brand',
  location: 'brand',
  offer: 'brand',
  card: 'cardholder',
}

type Description = Pick<FlowPlanStep, 'actor' | 'from' | 'to' | 'title'> &
  Partial<Pick<FlowPlanStep, 'expected' | 'lastsMs' | 'afterMs'>>

const ends = (from: FlowActor, to: FlowActor) => ({ actor: from, from, to })

/** `isForged`: the last trigger up to the step was an attacker's. `event`: of the delivery that the step is about. */
function describe(step: FlowStep, isForged: boolean, event: string | null): Description {
  switch (step.kind) {
    case 'trigger': {
      const { by, title } = causes[plainEventOf(step.event)]
      const { fault } = step
      const what = fault !== undefined && isForgery(fault) ? `Forged ${step.event}` : title
      return {
        ...(isForged ? ends('attacker', 'attacker') : ends(by, 'service')),
        title: fault === undefined ? what : `${what}, ${faultWords[fault]}`,
      }
    }
    case 'make':
      return {
        ...ends(madeBy[step.object] ?? 'service', 'service'),
        title: `Create ${step.object === 'offer' ? 'an' : 'a'} ${step.object}`,
      }
    case 'change':
      return {
        ...ends('brand', 'service'),
        title: Object.entries(step.set)
          .map(([path, value]) => `${path} becomes ${unmarked(JSON.stringify(value))}`)
          .join(', '),
      }
    case 'rotate':
      return { ...ends('receiver', 'service'), title: 'Rotate the secret' }
    case 'delivery':
      return {
        ...ends(isForged && step.verdict !== 'valid' ? 'attacker' : 'service', 'receiver'),
        title: step.absent
          ? `no ${step.event}`
          : `${step.event}${step.attempt === undefined ? '' : `, attempt ${step.attempt}`}`,
        expected: deliveryWords(step),
        lastsMs: durationMs(step.within),
        afterMs: step.after === undefined ? null : durationMs(step.after),
      }
    case 'answer':
      return {
        ...ends('receiver', 'handler'),
        actor: 'handler',
        title: `Your handler ${step.accept ? 'accepts' : 'rejects'} ${event ?? 'the delivery'}`,
        expected: step.accept ? '200 within 20 s' : 'any status except 2xx, within 20 s',
        lastsMs: ACKNOWLEDGE_TIMEOUT_MS,
      }
    case 'wait':
      return {
        ...ends('service', 'service'),
        title: `Wait ${step.for}`,
        lastsMs: durationMs(step.for),
      }
    case 'check': {
      const title = `${unmarked(step.value)} is ${ruleWords(step.rule)}`
      return { ...ends('receiver', 'receiver'), title, expected: title }
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

/** The event that a step triggers or expects, or whose delivery your handler responds to. */
function eventOf(step: FlowStep, { steps }: Flow): string | null {
  if (step.kind !== 'answer') return 'event' in step ? step.event : null
  return (
    steps.filter((one) => one.kind === 'delivery').find(({ as }) => as === step.to)?.event ?? null
  )
}

export function planSteps(flow: Flow): FlowPlanStep[] {
  const names = stepNames(flow)
  let isForged = false
  return flow.steps.map((step, index) => {
    if (step.kind === 'trigger') isForged = step.fault !== undefined && isForgery(step.fault)
    const event = eventOf(step, flow)
    const { actor, from, to, title, ...more } = describe(step, isForged, event)
    return {
      index,
      name: names[index] ?? '',
      kind: step.kind,
      actor,
      from,
      to,
      title: step.title === undefined ? title : unmarked(step.title),
      event,
      expected: more.expected ?? null,
      lastsMs: more.lastsMs ?? null,
      afterMs: more.afterMs ?? null,
    }
  })
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

// Inputs.

/** What a person can choose for each input. */
export const inputChoices: Readonly<
  Record<FlowInputName, { readonly choices: string[]; readonly example: string }>
> = {
  amount: { choices: [], example: '12.50' },
  currency: { choices: [], example: 'EUR' },
  scheme: { choices: [...schemes], example: 'visa' },
  location: { choices: places.map(({ city }) => city), example: 'London' },
}

/** First numbers of a card of each scheme. */
const cardNumbers: Readonly<Record<string, string>> = {
  visa: '444433',
  mastercard: '555544',
  amex: '374245',
}

const isOneOf = (value: unknown, all: readonly string[]) =>
  typeof value === 'string' && all.includes(value)

/** What is wrong with a value; null if nothing is. */
function problemOf(
  flow: Flow,
  name: FlowInputName,
  value: unknown,
  currency: unknown,
): string | null {
  switch (name) {
    case 'amount': {
      const above = flow.inputs?.find((input) => input.name === 'amount')?.above ?? 0
      if (typeof value !== 'number' || value <= above || value > 1_000_000)
        return `amount must be a number above ${above}, at most 1000000, for example amount=12.50.`
      const digits = minorDigits(currency)
      const used = String(value).split('.')[1]?.length ?? 0
      return digits !== null && used > digits
        ? `amount has too many decimals for ${String(currency)}. Use ${digits === 0 ? 'none' : `at most ${digits}`}.`
        : null
    }
    case 'currency':
      return typeof value === 'string' && /^[A-Z]{3}$/.test(value) && minorDigits(value) !== null
        ? null
        : 'currency must be a code of three capital letters, for example currency=EUR.'
    case 'scheme':
      return isOneOf(value, schemes) ? null : `scheme must be one of ${schemes.join(', ')}.`
    case 'location':
      return isOneOf(value, inputChoices.location.choices)
        ? null
        : `location must be one of ${inputChoices.location.choices.join(', ')}.`
  }
}

/** Throws `INVALID_INPUT` for a value that the flow can't run with. */
export function checkInputs(flow: Flow, literals: Literals): void {
  const currency = literals['currency'] === undefined ? null : literalValue(literals['currency'])
  for (const { name } of flow.inputs ?? []) {
    const literal = literals[name]
    const problem =
      literal === undefined ? null : problemOf(flow, name, literalValue(literal), currency)
    if (problem !== null) throw new AppError('INVALID_INPUT', `${flow.name}: ${problem}`)
  }
}

interface Trigger {
  readonly event: ShownEventType
  readonly environment: string
  readonly of: string | undefined
}

export function fieldLiterals({ inputs = [] }: Pick<Flow, 'inputs'>, literals: Literals): Literals {
  return Object.fromEntries(
    Object.entries(literals).filter(([path]) => !inputs.some(({ name }) => name === path)),
  )
}

function cardOf(scheme: unknown): Record<string, unknown> {
  return { scheme, type: scheme, firstNumbers: cardNumbers[String(scheme)] }
}

/** A location in the city, made for the run, as fields of a payment. */
async function paidIn(
  city: unknown,
  environment: string,
  service: FlowService,
): Promise<Record<string, unknown>> {
  const place = places.find((one) => one.city === city)
  if (place === undefined) return {}
  const { postcode, countryCode, currency, timezone } = place
  const fields = {
    address: `1 ${place.streets[0] ?? 'Main Street'}`,
    city: place.city,
    postcode,
    countryCode,
    timezone,
  }
  const { id } = await service.make({
    kind: 'location',
    environment,
    set: { ...fields, currency },
    literals: {},
  })
  const geolocation = { latitude: place.latitude, longitude: place.longitude }
  const paths = Object.entries({ id, ...fields, geolocation }).map(([name, value]) => [
    `location.${name}`,
    value,
  ])
  return { ...Object.fromEntries(paths), currency }
}

/**
 * What the inputs change in a triggered event: the object that it is about, if an input made it, fields and numbers as typed. A refund of an earlier purchase takes its values from there; a refund of an unknown
 * one is negative.
 */
export async function applyInputs(
  { inputs = [] }: Pick<Flow, 'inputs'>,
  given: Literals,
  { event, environment, of }: Trigger,
  service: FlowService,
) {
  const literalOf = (name: FlowInputName) =>
    inputs.some((input) => input.name === name) ? given[name] : undefined
  const [amount, currency, scheme, location] = (
    ['amount', 'currency', 'scheme', 'location'] as const
  ).map(literalOf)
  const isRefund = event.startsWith('transaction.refund')
  if (!isTransactionEvent(event)) {
    const card =
      event.startsWith('card.') && scheme !== undefined ? cardOf(literalValue(scheme)) : {}
    const at = event === 'card.failed' ? 'card.' : ''
    const set = Object.fromEntries(
      Object.entries(card).map(([name, value]) => [`${at}${name}`, value]),
    )
    return { of, set, literals: {} }
  }
  if (isRefund && of !== undefined) return { of, set: {}, literals: {} }
  let card = of
  if (scheme !== undefined && of === undefined && !isRefund) {
    // A new location accepts every scheme.
    await service.make({ kind: 'location', environment, set: {}, literals: {} })
    const set = cardOf(literalValue(scheme))
    card = (await service.make({ kind: 'card', environment, set, literals: {} })).id
  }
  return {
    of: card,
    set: location === undefined ? {} : await paidIn(literalValue(location), environment, service),
    literals: {
      ...(amount === undefined ? {} : { amount: isRefund ? `-${amount}` : amount }),
      ...(currency === undefined ? {} : { currency }),
    },
  }
}
