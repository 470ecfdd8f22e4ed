/** Suspects with events or fields that the handler may not expect. */
import type { CheckFinding } from '../../shared/model/check.ts'
import {
  isTransactionEvent,
  shownEventTypes,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import { listed } from '../../shared/text/english.ts'
import {
  changedPath,
  fillingsOf,
  MAX_FILLED_FIELDS,
  rewritesOf,
  withChanges,
  type PayloadChange,
} from './payload-changes.ts'
import type { CheckPayload } from './payloads.ts'
import type { RequestFactory } from './requests.ts'
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
  const condition = `when ${names} ${verb} ${listed(states, 'or')}`
  if (!states.includes('null'))
    return {
      cause,
      what: condition,
      fix: 'The service leaves this field out. Check that it exists before you read it (spec 2.5).',
    }
  const when =
    paths[0] === 'offer'
      ? '`offer` is null in every event except the .qualified ones.'
      : 'The service sends null for this field.'
  return { cause, what: condition, fix: `${when} Check for null before you read it (spec 2.6).` }
}

/** Makes a suspect of the control by changing its payload. */
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

/** Returns other events to try, such as the .qualified one, which has an offer. */
function otherEventNames({
  payloads: { base },
  settings,
}: RequestFactory): readonly ShownEventType[] {
  return shownEventTypes.filter(
    (event) =>
      settings.events.includes(event) &&
      !['program.status', base].includes(event) &&
      (event === `${base}.qualified` || !isTransactionEvent(event)),
  )
}

const sampleOffer = ({ payloads }: RequestFactory): unknown =>
  (JSON.parse(payloads.of('transaction.auth.qualified', 'sample')) as CheckPayload)['offer']

const pickFurther: SuspectGroup['pick'] = (answered, rejectedStatus) =>
  answered.find(({ exchange }) => isFurther(exchange, rejectedStatus))

/** Payloads in which a null or absent field has a value. */
export const filledPayloads: SuspectGroup = {
  suspects: (factory, { control }) =>
    fillingsOf(payloadOf(control, 'fields'), sampleOffer(factory)).map((change) =>
      changedSuspect(control, [change]),
    ),
  pick: pickFurther,
  most: () => MAX_FILLED_FIELDS,
}

/** Makes suspects with other events; the responses also show which events are accepted. */
export function eventSuspects(factory: RequestFactory, control: TrialDelivery) {
  return otherEventNames(factory).map((event) => ({
    event,
    finding: {
      cause: `event:${event}`,
      what: `for a valid ${factory.payloads.base}, but not for ${event}`,
      fix: "Compare the payload with the fields your handler requires (spec 2). If this endpoint isn't for this event, choose its events (--event).",
    },
    delivery: {
      ...control,
      label: event,
      body: (purpose: string) => factory.payloads.of(event, purpose),
    },
  }))
}

export const otherEvents: SuspectGroup = {
  suspects: (factory, { control }) => eventSuspects(factory, control),
  pick: pickFurther,
  most: (factory) => otherEventNames(factory).length,
}

/** Statuses of a handler whose validator rejects a payload. */
const VALIDATION_STATUSES = new Set([400, 422])
const MOST_REWRITES = 150

/**
 * Payloads with all empty fields filled at once, or with fields rewritten if only the signature is
 * accepted.
 */
export const validatedPayloads: SuspectGroup = {
  suspects(factory, { control, exchange, isSignatureAccepted }) {
    const payload = payloadOf(control, 'validated')
    const filled = fillingsOf(payload, sampleOffer(factory))
    const rewrites =
      isSignatureAccepted && VALIDATION_STATUSES.has(exchangeStatus(exchange))
        ? rewritesOf(payload, exchange.got.body, factory.payloads.samples(factory.payloads.base))
        : []
    return [...(filled.length > 1 ? [filled] : []), ...rewrites]
      .slice(0, MOST_REWRITES)
      .map((changes) => changedSuspect(control, changes))
  },
  pick: pickFurther,
  isLong: true,
  // Narrowing a suspect down sends up to as many again.
  most: () => 2 * MOST_REWRITES,
}
