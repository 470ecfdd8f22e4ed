/**
 * Triggers an event: creates or finds its objects, and sends it to every hook registered for it. Purchases are cleared automatically,
 * 48 to 72 hours of sandbox time after payment (section 6.2).
 */
import { literalValues } from '../../shared/body/json-literals.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { PendingClearing, TriggerPreview, TriggerResult } from '../../shared/model/sandbox.ts'
import { nearest } from '../../shared/query/problem.ts'
import {
  hookKindOf,
  isEventType,
  isQualifiedEvent,
  isShownEventType,
  isTransactionEvent,
  shownEventTypes,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import { asObserved } from '../../shared/service/observed.ts'
import type { Program } from '../../shared/service/resources.ts'
import { listed } from '../../shared/text/counted.ts'
import { whenAborted } from '../base/async.ts'
import { LATE_BY_MS } from '../signature/fault.ts'
import { bodyOf, type Deliveries, type Match } from './deliveries.ts'
import { simulateEvent } from './events.ts'
import {
  recordSchemas,
  sandboxAccount,
  type HookRecord,
  type Objects,
  type Payment,
  type SandboxAccount,
  type Service,
} from './records.ts'
import {
  noSuchField,
  setAwayPaths,
  withoutPath,
  type Emission,
  type SimulatedEvent,
  type WithValues,
} from './event-context.ts'
import { ensureProgram, iso } from './world.ts'

/** The spec's objections to events. An event and its .qualified one have the same findings. */
function findingsOn(emissions: readonly Emission[]): string[] {
  const notes = emissions.flatMap((emission) => {
    const { failures, findings } = checkPayload(emission.event, bodyOf(emission))
    return [...failures, ...findings]
  })
  const sentences = notes.map(
    ({ message, section }) => `${message.replace(/\.$/, '')} (spec ${section}).`,
  )
  return [...new Set(sentences)]
}

/** As in the contract; `environment` is the account's first by default. */
export type TriggerInput = WithValues<ParsedInputOf<'sandbox.preview'>>

export type Triggers = ReturnType<typeof createTriggers>

export function createTriggers(service: Service, deliveries: Deliveries) {
  const { objects, clock } = service
  const clearings = createClearings(service, async ({ id }, mode, at) => {
    const environment = service.accounts.find((account) => account.mode === mode)?.environment
    await cause({ event: 'transaction.clearing', environment, of: id }, at)
  })

  /** Stores the story's changes and sends its events. Values that the spec doesn't allow are sent, but not stored. */
  async function send(
    { event, account, story, matches, otherPrograms }: Awaited<ReturnType<typeof prepare>>,
    { fault, allowHosts, set, literals, unset }: TriggerInput,
  ): Promise<TriggerResult> {
    const isChanged = [set, literals, unset].some((fields) => fields !== undefined)
    const { mode, environment } = account
    for (const { kind, data } of story.changes) {
      if (!recordSchemas[kind].safeParse(data).success) continue
      await objects.put(kind, mode, data)
    }
    clearings.changed()
    const sent = await deliveries.send(matches, mode, fault ?? null, allowHosts)
    return {
      event,
      environment,
      objects: { ...story.objects },
      deliveries: sent,
      otherPrograms,
      findings: isChanged ? findingsOn(story.emissions) : [],
    }
  }

  const timeOf = ({ fault }: TriggerInput) => clock.now() - (fault === 'late' ? LATE_BY_MS : 0)

  /** Triggers an event even if no hook receives it. `at`: its time, in milliseconds of sandbox time. */
  async function cause(input: TriggerInput, at = clock.now()): Promise<TriggerResult> {
    return send(await prepare(service, input, at), input)
  }

  return {
    /** Triggers an event that the caller wants to see: without a hook for it, rejects with `NO_HOOK` and changes nothing. */
    async trigger(input: TriggerInput): Promise<TriggerResult> {
      const prepared = await prepare(service, input, timeOf(input))
      const { story, matches, account } = prepared
      if (matches.length === 0)
        throw noHook(input, story, account, objects.all('program', account.mode))
      if (input.fault === 'out-of-order' && matches.length < 2) throw noOrder(story)
      await deliveries.admit(matches, input.allowHosts)
      return send(prepared, input)
    },
    cause,
    async preview(input: TriggerInput): Promise<TriggerPreview> {
      const seed = input.seed ?? drawSeed(service)
      const { story, matches } = await prepare(service, { ...input, seed }, timeOf(input))
      const events = story.emissions.map((emission) => ({
        event: emission.event,
        payload: { ...emission.payload },
        body: bodyOf(emission),
        hooks: matches.filter((match) => match.emission === emission).length,
      }))
      return { seed, events }
    },
    clearings,
  }
}

function shownEvent(name: string): ShownEventType {
  if (isShownEventType(name)) return name
  const [meant] = nearest(name, shownEventTypes)
  const why = isEventType(name)
    ? "The sandbox can't send it: the spec doesn't show its payload (6.1)."
    : 'Unknown event.'
  const guess =
    meant === undefined ? `Events: ${shownEventTypes.join(', ')}.` : `Did you mean ${meant}?`
  throw new AppError('INVALID_INPUT', `${name}: ${why} ${guess}`)
}

/** 48 bits: enough to avoid collisions between triggers. */
export function drawSeed(service: Service): number {
  return Buffer.from(service.randomBytes(6)).readUIntBE(0, 6)
}

/**
 * An event with the events it triggers, and their hooks. `otherPrograms`: those that the caller could have named, because they have
 * hooks for these events.
 */
async function prepare(service: Service, input: TriggerInput, now: number) {
  const { objects } = service
  const event = shownEvent(input.event)
  const account = sandboxAccount(service.accounts, input.environment)
  const { mode, environment } = account
  const hooks = objects.all('hook', mode)
  const programId =
    input.programId ?? programOf(objects, mode, input.of) ?? programOfHooks(hooks, event)
  if (input.programId !== undefined && objects.find('program', input.programId, mode) === undefined)
    throw new AppError('NOT_FOUND', `Program ${input.programId} not found in ${environment}.`)
  const program = await ensureProgram(objects, mode, now, programId)
  const seed = input.seed ?? drawSeed(service)
  const twin = twinOf(event)
  const offerIds = hooks.flatMap((hook) =>
    hook.event === twin && hook.offerId !== null ? [hook.offerId] : [],
  )
  const set = { ...input.set, ...literalValues(input.literals) }
  const { of } = input
  const seeded = input.seed !== undefined
  const whole = simulateEvent(
    event,
    { mode, seed, now, environment, objects, program, seeded, of, offerIds, set },
    input.fault ?? null,
  )
  const story = { ...whole, emissions: asAsked(whole.emissions, event, { ...input, set }) }
  const matches = story.emissions.flatMap((emission) =>
    hooks.filter((hook) => takes(hook, emission)).map((hook): Match => ({ emission, hook })),
  )
  const wanted = new Set<string>(story.emissions.map((emission) => emission.event))
  const programs = new Set(
    hooks.flatMap((hook) => (wanted.has(hook.event) ? (hook.programId ?? []) : [])),
  )
  const isNamed = input.programId !== undefined || of !== undefined
  const otherPrograms = objects
    .all('program', mode)
    .filter(({ id }) => !isNamed && id !== program.id && programs.has(id))
    .map(({ id, name }) => ({ id, name }))
  return { event, account, story, matches, otherPrograms }
}

/**
 * The events with changes that only payloads carry: objects set to another value, and fields left out. Accompanying events of
 * another resource stay complete.
 */
function asAsked(
  emissions: readonly Emission[],
  event: ShownEventType,
  { set = {}, literals = {}, unset = [], observed = false }: TriggerInput,
) {
  const [resource] = event.split('.')
  const isMeant = (emission: Emission) => emission.event.split('.')[0] === resource
  const kept = Object.keys(set)
  const changed = emissions.map((sent) => {
    const emission = observed
      ? { ...sent, payload: asObserved(sent.event, sent.payload, kept) }
      : sent
    return isMeant(emission)
      ? { ...emission, payload: setAwayPaths(emission.payload, set), literals }
      : emission
  })
  return unset.reduce((all, path) => {
    const without = all.map((emission) =>
      isMeant(emission) ? withoutPath(emission.payload, path) : null,
    )
    // Only .qualified events have offer fields: one of the events having the field is enough.
    if (without.every((payload) => payload === null)) throw noSuchField(path)
    return all.map((emission, place) => ({
      ...emission,
      payload: without[place] ?? emission.payload,
    }))
  }, changed)
}

/** The event for qualifying transactions (section 6.1); other kinds of event map to themselves. */
function twinOf(event: ShownEventType): string {
  return isTransactionEvent(event) && !isQualifiedEvent(event) ? `${event}.qualified` : event
}

/** The program of the first hook that receives the event, otherwise of the first that receives its .qualified event. */
function programOfHooks(hooks: readonly HookRecord[], event: ShownEventType): string | undefined {
  const named = [event, twinOf(event)].flatMap((name) =>
    hooks.filter((hook) => hook.event === name).map(({ programId }) => programId),
  )
  return named.find((programId) => programId !== null) ?? undefined
}

function programOf(objects: Objects, mode: Mode, of: string | undefined): string | undefined {
  if (of === undefined) return undefined
  return (
    objects.find('payment', of, mode)?.transaction.programId ??
    objects.find('card', of, mode)?.programId ??
    objects.find('location', of, mode)?.programId ??
    objects.find('program', of, mode)?.id
  )
}

/** A hook without a program (possible if created manually) receives all. */
function concerns(hookProgramId: string | null, programId: string | null): boolean {
  return hookProgramId === null || programId === null || hookProgramId === programId
}

/** Whether the hook is registered for the event, its program and, if it requests one, its offer (section 6.2). */
function takes(hook: HookRecord, emission: Emission): boolean {
  return (
    hook.event === emission.event &&
    concerns(hook.programId, emission.programId) &&
    (hook.offerId === null || hook.offerId === emission.offerId)
  )
}

function noHook(
  { event, programId }: TriggerInput,
  { emissions, objects }: SimulatedEvent,
  { environment, mode }: SandboxAccount,
  programs: readonly Program[],
): AppError {
  const events = [...new Set(emissions.map((emission) => emission.event))]
  const isOfProgram = hookKindOf(event) === 'program'
  const program = isOfProgram ? ` --program ${objects['program'] ?? ''}` : ''
  const live = mode === 'live' ? ' --live' : ''
  const command = `countersign hooks add --environment ${environment} --event ${event}${program}${live}`
  const named = isOfProgram && programId !== undefined ? ` for program ${programId}` : ''
  const choices =
    isOfProgram && programId === undefined && programs.length > 1
      ? ` Programs: ${programs.map(({ id, name }) => `${id} (${name})`).join(', ')}.`
      : ''
  const why = `No hook in ${environment} receives ${listed(events, 'or')}${named}.`
  return new AppError('NO_HOOK', `${why}${choices} Create one: ${command}`, {
    details: { events, environment, command },
  })
}

function noOrder(story: SimulatedEvent): AppError {
  const events = listed([...new Set(story.emissions.map(({ event }) => event))], 'and')
  return new AppError(
    'NO_HOOK',
    `Out-of-order delivery needs two events. Register hooks for ${events} in the same environment.`,
  )
}

// Clearing: each purchase waits until the clock reaches its time.

function createClearings(
  { objects, clock, log }: Service,
  clear: (payment: Payment, mode: Mode, at: number) => Promise<unknown>,
) {
  const stop = new AbortController()
  let wake = new AbortController()

  /** Soonest first. */
  const waiting = () =>
    objects
      .entries('payment')
      .flatMap(({ data, mode }) =>
        data.clearsAt === null ? [] : [{ payment: data, mode, at: data.clearsAt }],
      )
      .sort((left, right) => left.at - right.at)

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      const woken = AbortSignal.any([stop.signal, wake.signal])
      const [next] = waiting()
      if (next === undefined) await whenAborted(woken)
      else if (next.at > clock.now()) await clock.sleepUntil(next.at, woken)
      else {
        const { payment, mode, at } = next
        await objects.put('payment', mode, { ...payment, clearsAt: null })
        await clear(payment, mode, at).catch((error: unknown) =>
          log.bug(error, `sandbox: clearing of ${payment.id}`),
        )
      }
    }
  }

  let running = Promise.resolve()
  return {
    start() {
      running = run().catch((error: unknown) => void log.bug(error, 'sandbox: clearing'))
    },
    changed() {
      const before = wake
      wake = new AbortController()
      before.abort()
    },
    list: (): PendingClearing[] =>
      waiting().map(({ payment, mode, at }) => ({ transactionId: payment.id, mode, at: iso(at) })),
    async close() {
      stop.abort()
      await running
    },
  }
}
