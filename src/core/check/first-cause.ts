/**
 * Finds out why an endpoint doesn't accept the first delivery. One mistake can hide another: a handler that hashes once and crashes
 * on `offer: null` returns 401 for a valid delivery and 500 for one hashed once. So the search continues from each mistake that it
 * proves, with a delivery that avoids it.
 */
import type { CheckExchange, CheckFinding, CheckResult } from '../../shared/model/check.ts'
import {
  isTransactionEvent,
  shownEventTypes,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import type { Bench, CheckRequest, CheckSending, CheckPayload } from './requests.ts'
import { isCheckAcknowledged, isTaken, UNSTEADY } from './judge.ts'
import { signatureEvidence, exchangeStatus } from './signature-evidence.ts'

/**
 * Whether each request of a proof is a suspect; the others are controls. A handler that alternates its responses can't match this
 * order.
 */
const PROOFS = [false, false, true, false, true, true, false, true]
/** How many null fields are tried one by one. */
const MOST_FIELDS = 6

/** How many requests the search sends at most: it varies the signature in two payloads, and the payload once. */
export function mostCauseRequests(bench: Bench): number {
  const recipes = bench.mistaken('{}').length
  const payloads = MOST_FIELDS + otherEvents(bench).length
  return 3 + 2 * recipes + payloads + 3 * PROOFS.length
}

/** A kind of delivery. Each purpose gives it its own ids, because handlers ignore duplicates. */
interface Delivery {
  readonly label: string
  readonly body: (purpose: string) => string
  readonly sign: (body: string) => CheckRequest
}

/** A delivery that differs in one respect, and the mistake it avoids. */
interface Suspect {
  readonly finding: CheckFinding
  readonly delivery: Delivery
  /** The event that it sends, if it differs in that. */
  readonly event?: ShownEventType
}

interface Answered extends Suspect {
  readonly exchange: CheckExchange
}

/** Deliveries that differ in the same respect. */
interface Family {
  suspects(bench: Bench, control: Delivery): readonly Suspect[]
  /** The one whose response proves most, compared with the control's; undefined if none differs as a mistake would. */
  pick(all: readonly Answered[], control: number): Answered | undefined
}

/** Another unit of the timestamp, which is also signed. */
const units: Family = {
  suspects: ({ request, now }, control) => [
    {
      finding: {
        cause: 'timestamp:unit',
        what: 'The timestamp was in seconds.',
        fix: 'The timestamp header is in milliseconds (spec 5.2): compare it with your clock in milliseconds.',
      },
      delivery: {
        ...control,
        label: 'timestamp in seconds',
        sign: (body) => request(body, { timestamp: String(Math.trunc(now() / 1_000)) }),
      },
    },
  ],
  pick: (all) => all.find(({ exchange }) => isTaken(exchange.got)),
}

/** Wrong signing methods. Only one is the handler's: if most get another response than the valid delivery, that one is verified. */
const recipes: Family = {
  suspects: ({ mistaken }, control) =>
    mistaken(control.body('recipes')).map(({ finding, request }, place) => ({
      finding,
      delivery: {
        ...control,
        label: request.label,
        sign: (body) => mistaken(body)[place]?.request ?? control.sign(body),
      },
    })),
  pick(all, control) {
    const others = all.filter(({ exchange }) => exchangeStatus(exchange) !== control)
    if (others.length > all.length / 2) return undefined
    return others.find(({ exchange }) => isTaken(exchange.got)) ?? others[0]
  },
}

/** How far a delivery gets: handlers fail anywhere, and most check the payload before or after the signature. */
function progressOf(status: number): number {
  if (status < 300) return 3
  return status === 401 || status === 403 ? 2 : status < 500 ? 1 : 0
}

/** Payloads in which one null field has a value, and other events. */
const otherPayloads: Family = {
  suspects: (bench, control) => [
    ...fillingsOf(bench, control.body('fields')).map(([field, , kind], place) => ({
      finding: {
        cause: `${kind}:${field}`,
        what: `when \`${field}\` is ${kind}`,
        fix: fixOfField(field, kind),
      },
      delivery: {
        ...control,
        label: `${field} with a value`,
        body: (purpose: string) =>
          JSON.stringify(fillingsOf(bench, control.body(purpose))[place]?.[1]),
      },
    })),
    ...otherEvents(bench).map((event) => ({
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
    })),
  ],
  pick: (all, control) =>
    all.find(({ exchange }) => progressOf(exchangeStatus(exchange)) > progressOf(control)),
}

/** Events to try instead: the .qualified one, which has an offer, and those of other resources. */
function otherEvents({ payloads: { base }, settings }: Bench): readonly ShownEventType[] {
  return shownEventTypes.filter(
    (event) =>
      settings.events.includes(event) &&
      !['program.status', base].includes(event) &&
      (event === `${base}.qualified` || !isTransactionEvent(event)),
  )
}

/** The path of each null field and the payload with a value there, outermost first, because handlers read those most often. */
function fillings(
  payload: CheckPayload,
  valueOf: (name: string) => unknown,
): [string, CheckPayload][] {
  const members = Object.entries(payload)
  const outer = members.flatMap(([name, value]): [string, CheckPayload][] =>
    value === null ? [[name, { ...payload, [name]: valueOf(name) }]] : [],
  )
  const inner = members.flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? fillings(value as CheckPayload, valueOf).map(([path, filled]): [string, CheckPayload] => [
          `${name}.${path}`,
          { ...payload, [name]: filled },
        ])
      : [],
  )
  return [...outer, ...inner]
}

function fixOfField(field: string, kind: Filling[2]): string {
  if (kind === 'absent')
    return 'The service leaves this field out. Check that it is there before you read it (spec 2.5).'
  const when =
    field === 'offer'
      ? '`offer` is null in every event except the .qualified ones.'
      : 'The service sends null for this field.'
  return `${when} Check for null before you read it (spec 2.6).`
}

/** Optional fields that the service leaves out: the object that has it, its name, and a value. */
const OPTIONAL = [
  ['card', 'metadata', {}],
  ['identifiers', 'amexApprovalCode', '000000'],
] as const

function absentOf(payload: CheckPayload): Filling[] {
  return OPTIONAL.flatMap(([parent, name, value]): Filling[] => {
    const object = payload[parent]
    if (typeof object !== 'object' || object === null || name in object) return []
    const filled = { ...payload, [parent]: { ...object, [name]: value } }
    return [[`${parent}.${name}`, filled, 'absent']]
  })
}

/** The path of a field, the payload with a value there, and the field's state without one. */
type Filling = readonly [path: string, filled: CheckPayload, kind: 'null' | 'absent']

function fillingsOf({ payloads }: Bench, body: string): readonly Filling[] {
  const sample = JSON.parse(payloads.of('transaction.auth.qualified', 'sample')) as CheckPayload
  const valueOf = (name: string) =>
    name === 'offer' ? sample['offer'] : /metadata|geolocation/.test(name) ? {} : 'x'
  const payload = JSON.parse(body) as CheckPayload
  const nulls = fillings(payload, valueOf).map(([path, filled]): Filling => [path, filled, 'null'])
  return [...nulls.slice(0, MOST_FIELDS - OPTIONAL.length), ...absentOf(payload)]
}

/** `first` is the endpoint's response to the first delivery, which it doesn't acknowledge. */
export async function findFirstCause(
  { bench, send, turn }: CheckSending,
  first: CheckExchange,
): Promise<Pick<CheckResult, 'findings' | 'accepted' | 'exchanges'>> {
  const { base } = bench.payloads
  const valid: Delivery = {
    label: 'a valid delivery again',
    body: (purpose) => bench.plain(`cause, ${purpose}`),
    sign: bench.request,
  }
  const accepted: ShownEventType[] = []
  /** The responses to wrongly signed deliveries. */
  let wrong: readonly CheckExchange[] = []
  const isAccepted = ({ got }: CheckExchange) => isCheckAcknowledged(got, bench.settings.ack)

  /** Null if the check was cancelled or the endpoint doesn't respond. */
  async function ask({ label, body, sign }: Delivery, purpose: string) {
    await turn(1)
    const exchange = await send({ ...sign(body(purpose)), label })
    return exchange === null || exchange.got.status === null ? null : exchange
  }

  /** Sends suspects and controls in an order that chance is unlikely to match. Null if the endpoint doesn't respond. */
  async function prove(
    suspect: Answered,
    control: Delivery,
    before: CheckExchange,
  ): Promise<Answered | null> {
    for (const [index, isSuspect] of PROOFS.entries()) {
      const delivery = isSuspect ? suspect.delivery : control
      const exchange = await ask(delivery, `${suspect.finding.cause}, proof ${index}`)
      if (exchange === null) return null
      if (exchangeStatus(exchange) !== exchangeStatus(isSuspect ? suspect.exchange : before))
        return { finding: UNSTEADY, delivery, exchange }
    }
    return suspect
  }

  /** What the endpoint runs into from here on. */
  async function search(
    control: Delivery,
    before: CheckExchange,
    families: readonly Family[],
  ): Promise<readonly Answered[]> {
    for (const family of exchangeStatus(before) < 400 ? [] : families) {
      const all: Answered[] = []
      for (const [place, suspect] of family.suspects(bench, control).entries()) {
        const exchange = await ask(suspect.delivery, `${suspect.finding.cause} ${place}`)
        if (exchange === null) return []
        all.push({ ...suspect, exchange })
        if (control === valid && suspect.event !== undefined && isAccepted(exchange))
          accepted.push(suspect.event)
      }
      if (family === recipes) wrong = all.map(({ exchange }) => exchange)
      const picked = family.pick(all, exchangeStatus(before))
      const found = picked === undefined ? null : await prove(picked, control, before)
      if (found === null) continue
      const rest = families.filter((each) => each !== family)
      return found.finding === UNSTEADY
        ? [found]
        : [found, ...(await search(found.delivery, found.exchange, rest))]
    }
    return []
  }

  const again = await ask(valid, 'again')
  if (again === null) return { exchanges: [first] }
  const isSteady =
    Math.trunc(exchangeStatus(again) / 100) === Math.trunc(exchangeStatus(first) / 100)
  if (!isSteady && isAccepted(again)) accepted.push(base)
  const found = isSteady
    ? await search(valid, first, [units, recipes, otherPayloads])
    : [{ finding: UNSTEADY, exchange: again }]
  const last = found.at(-1)?.exchange ?? again
  const askUnsigned = () =>
    ask({ ...valid, label: 'without a signature', sign: bench.unsigned }, 'unsigned')
  const proof =
    isSteady && exchangeStatus(last) >= 400 && wrong.length > 0
      ? await signatureEvidence(last, wrong, askUnsigned)
      : null
  return {
    findings: [...found.map(({ finding }) => finding), ...(proof === null ? [] : [proof])],
    accepted: accepted.find(isTransactionEvent) ?? accepted[0],
    exchanges: [first, ...found.map(({ exchange }) => exchange)],
  }
}
