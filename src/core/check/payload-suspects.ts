/** Suspects whose payload differs: events and fields that the handler may not expect. */
import type { CheckFinding } from '../../shared/model/check.ts'
import {
  isTransactionEvent,
  shownEventTypes,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import { listed } from '../../shared/text/counted.ts'
import {
  changedPath,
  fillingsOf,
  MOST_FILLINGS,
  rewritesOf,
  withChanges,
  type PayloadChange,
} from './payload-changes.ts'
import type { CheckPayload } from './payloads.ts'
import type { Bench } from './requests.ts'
import { exchangeStatus } from './response-words.ts'
import { isFurther, type Suspect, type SuspectGroup, type TrialDelivery } from './suspect.ts'

const payloadOf = (delivery: TrialDelivery, purpose: string) =>
  JSON.parse(delivery.body(purpose)) as CheckPayload

function findingOf(changes: readonly PayloadChange[]): CheckFinding {
  const paths = [...new Set(changes.map(changedPath))]
  const states = [...new Set(changes.map(({ before }) => before))]
  const names = listed(
    paths.map((path) => `\`${path}\``),
    'and',
  )
  const verb = paths.length > 1 ? 'are' : 'is'
  const cause = `${states[0] ?? 'other'}:${paths.join(',')}`
  if (states.includes('other'))
    return {
      cause: `field:${paths.join(',')}`,
      what: `because of ${names}, which ${verb} valid`,
      fix: 'Compare how your handler reads this with the spec (spec 2). It may require a type, certain values, or no added fields.',
    }
  const what = `when ${names} ${verb} ${listed(states, 'or')}`
  if (!states.includes('null'))
    return {
      cause,
      what,
      fix: 'The service leaves this field out. Check that it exists before you read it (spec 2.5).',
    }
  const when =
    paths[0] === 'offer'
      ? '`offer` is null in every event except the .qualified ones.'
      : 'The service sends null for this field.'
  return { cause, what, fix: `${when} Check for null before you read it (spec 2.6).` }
}

/** Makes a suspect of the control with these changes to its payload. */
export function changedSuspect(control: TrialDelivery, changes: readonly PayloadChange[]): Suspect {
  return {
    changes,
    finding: findingOf(changes),
    delivery: {
      ...control,
      label: `another ${[...new Set(changes.map(changedPath))].join(', ')}`,
      body: (purpose) => JSON.stringify(withChanges(payloadOf(control, purpose), changes)),
    },
  }
}

/**
 * Returns events to try instead: the .qualified one, which has an offer, and those of other
 * resources.
 */
function eventsBesides({ payloads: { base }, settings }: Bench): readonly ShownEventType[] {
  return shownEventTypes.filter(
    (event) =>
      settings.events.includes(event) &&
      !['program.status', base].includes(event) &&
      (event === `${base}.qualified` || !isTransactionEvent(event)),
  )
}

const sampleOffer = ({ payloads }: Bench): unknown =>
  (JSON.parse(payloads.of('transaction.auth.qualified', 'sample')) as CheckPayload)['offer']

const furthest: SuspectGroup['pick'] = (all, rejected) =>
  all.find(({ exchange }) => isFurther(exchange, rejected))

/** Payloads in which a null or absent field has a value. */
export const filledPayloads: SuspectGroup = {
  suspects: (bench, { control }) =>
    fillingsOf(payloadOf(control, 'fields'), sampleOffer(bench)).map((change) =>
      changedSuspect(control, [change]),
    ),
  pick: furthest,
  most: () => MOST_FILLINGS,
}

/** Makes suspects of the control with other events, which also tell what the handler accepts. */
export function eventSuspects(bench: Bench, control: TrialDelivery) {
  return eventsBesides(bench).map((event) => ({
    event,
    finding: {
      cause: `event:${event}`,
      what: `for a valid ${bench.payloads.base}, but not for ${event}`,
      fix: "Compare the payload with the fields your handler requires (spec 2). If this endpoint isn't for this event, choose its events (--event).",
    },
    delivery: {
      ...control,
      label: event,
      body: (purpose: string) => bench.payloads.of(event, purpose),
    },
  }))
}

/** Other events. */
export const otherEvents: SuspectGroup = {
  suspects: (bench, { control }) => eventSuspects(bench, control),
  pick: furthest,
  most: (bench) => eventsBesides(bench).length,
}

/** The statuses of a handler whose validator rejects a payload. */
const VALIDATION = new Set([400, 422])
const MOST_REWRITES = 150

/**
 * Payloads that several null fields, or the validator of a handler that accepts the signature, may
 * reject.
 */
export const validatedPayloads: SuspectGroup = {
  suspects(bench, { control, exchange, isSignatureAccepted }) {
    const payload = payloadOf(control, 'validated')
    const filled = fillingsOf(payload, sampleOffer(bench))
    const rewrites =
      isSignatureAccepted && VALIDATION.has(exchangeStatus(exchange))
        ? rewritesOf(payload, exchange.got.body, bench.payloads.samples(bench.payloads.base))
        : []
    return [...(filled.length > 1 ? [filled] : []), ...rewrites]
      .slice(0, MOST_REWRITES)
      .map((changes) => changedSuspect(control, changes))
  },
  pick: furthest,
  isLong: true,
  // As many again leave out what several need not change.
  most: () => 2 * MOST_REWRITES,
}
