/** Triggers an event: creates or finds its objects, and sends it to every hook registered for it. */
import { literalValues, type Literals } from '../../shared/body/json-literals.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { TriggerPreview, Fault, TriggerResult } from '../../shared/model/sandbox.ts'
import {
  hookKindOf,
  isEventType,
  isQualifiedEvent,
  isShownEventType,
  isTransactionEvent,
  shownEventTypes,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import { asObserved } from '../../shared/service/observed.ts'
import type { Ids } from '../base/deps.ts'
import { type Deliveries, bodyOf, sendStory, type Match } from './deliveries.ts'
import { nearest } from '../../shared/query/problem.ts'
import { LATE_BY_MS } from '../signature/fault.ts'
import { noSuchField, setAwayPaths, withoutPath } from './payload-edit.ts'
import { ensureProgram, recordSchemas, type HookRecord, type Objects } from './world.ts'
import type { Program } from '../../shared/service/resources.ts'
import { sandboxAccount, type SandboxAccount } from './account.ts'
import type { Emission, Story } from './scene.ts'
import { planSettlement } from './settlements.ts'
import { tellStory } from './object-story.ts'
import { listed } from '../../shared/text/counted.ts'

export interface TriggerInput {
  readonly event: string
  /** Name of the environment; the account's first by default. */
  readonly environment?: string | undefined
  readonly programId?: string | undefined
  /** The object that the event is about: a clearing's auth, a refund's purchase, a brand, card, location or program. */
  readonly of?: string | undefined
  /** Payload fields to set, by path. */
  readonly set?: Readonly<Record<string, unknown>> | undefined
  /** The same fields as JSON texts, sent unchanged. */
  readonly literals?: Literals | undefined
  /** Paths of fields to leave out of the payload. The stored objects keep them. */
  readonly unset?: readonly string[] | undefined
  /** Whether to send payloads as accounts in test mode have been seen to send them (`observed.ts`). */
  readonly observed?: boolean | undefined
  /** The same seed creates the same objects. */
  readonly seed?: number | undefined
  readonly fault?: Fault | undefined
}

export interface TriggerContext {
  readonly clock: { now(): number }
  readonly ids: Ids
  randomBytes(count: number): Uint8Array
  readonly accounts: readonly SandboxAccount[]
  readonly objects: Objects
  readonly deliveries: Deliveries
  /** Called when the queue of clearings has changed. */
  onPlanned(): void
}

/** An event with the events it triggers, and their hooks. */
interface Prepared {
  readonly story: Story
  readonly matches: readonly Match[]
  /** Other programs that the caller could have named: they have hooks for these events. */
  readonly otherPrograms: TriggerResult['otherPrograms']
}

export type Triggers = ReturnType<typeof createTriggers>

export function createTriggers(context: TriggerContext) {
  async function run(
    input: TriggerInput,
    at: number,
    check: (prepared: Prepared, account: SandboxAccount) => void,
  ) {
    const event = shownEvent(input.event)
    const account = sandboxAccount(context.accounts, input.environment)
    const prepared = await prepare(context, event, account, input, at)
    check(prepared, account)
    await keep(context, account.mode, prepared.story)
    const { story, matches, otherPrograms } = prepared
    const deliveries = await sendStory(context, matches, account.mode, input.fault ?? null)
    return {
      event,
      environment: account.environment,
      objects: { ...story.objects },
      deliveries,
      otherPrograms,
    }
  }
  return {
    /** Triggers an event that the caller wants to see: without a hook for it, rejects with `NO_HOOK` and changes nothing. */
    trigger: (input: TriggerInput): Promise<TriggerResult> =>
      run(
        input,
        context.clock.now() - (input.fault === 'late' ? LATE_BY_MS : 0),
        ({ story, matches }, account) => {
          if (matches.length === 0)
            throw noHook(input, story, account, context.objects.all('program', account.mode))
          if (input.fault === 'out-of-order' && matches.length < 2) throw noOrder(story)
        },
      ),
    /** Triggers an event even if no hook receives it. `at`: its time, in milliseconds of sandbox time. */
    cause: (input: TriggerInput, at = context.clock.now()): Promise<TriggerResult> =>
      run(input, at, () => undefined),
    /** What a trigger would send now, without sending or storing anything. */
    async preview(input: TriggerInput): Promise<TriggerPreview> {
      const seed = input.seed ?? drawSeed(context)
      const account = sandboxAccount(context.accounts, input.environment)
      const at = context.clock.now() - (input.fault === 'late' ? LATE_BY_MS : 0)
      const { story, matches } = await prepare(
        context,
        shownEvent(input.event),
        account,
        { ...input, seed },
        at,
      )
      const events = story.emissions.map((emission) => ({
        event: emission.event,
        payload: { ...emission.payload },
        body: bodyOf(emission),
        hooks: matches.filter((match) => match.emission === emission).length,
      }))
      return { seed, events }
    },
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

async function prepare(
  context: TriggerContext,
  event: ShownEventType,
  account: SandboxAccount,
  input: TriggerInput,
  now: number,
): Promise<Prepared> {
  const { objects } = context
  const { mode } = account
  const hooks = objects.all('hook', mode)
  const programId =
    input.programId ?? programOf(objects, mode, input.of) ?? programOfHooks(hooks, event)
  if (
    input.programId !== undefined &&
    objects.find('program', input.programId, mode) === undefined
  ) {
    throw new AppError(
      'NOT_FOUND',
      `Program ${input.programId} not found in ${account.environment}.`,
    )
  }
  const program = await ensureProgram(objects, mode, now, programId)
  const making = { seed: input.seed ?? drawSeed(context), mode, now }
  const twin = twinOf(event)
  const offerIds = hooks.flatMap((hook) =>
    hook.event === twin && hook.offerId !== null ? [hook.offerId] : [],
  )
  const set = { ...input.set, ...literalValues(input.literals) }
  const told = tellStory(
    event,
    {
      mode,
      environment: account.environment,
      objects,
      program,
      making,
      seeded: input.seed !== undefined,
      of: input.of,
      offerIds,
      set,
    },
    input.fault ?? null,
  )
  const story = { ...told, emissions: asAsked(told.emissions, event, { ...input, set }) }
  const matches = story.emissions.flatMap((emission) =>
    hooks.filter((hook) => takes(hook, emission)).map((hook): Match => ({ emission, hook })),
  )
  const wanted = new Set<string>(story.emissions.map((emission) => emission.event))
  const programs = new Set(
    hooks.flatMap((hook) => (wanted.has(hook.event) ? (hook.programId ?? []) : [])),
  )
  const isNamed = input.programId !== undefined || input.of !== undefined
  const otherPrograms = objects
    .all('program', mode)
    .filter(({ id }) => !isNamed && id !== program.id && programs.has(id))
    .map(({ id, name }) => ({ id, name }))
  return { story, matches, otherPrograms }
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

/** 48 bits: enough to avoid collisions between triggers. */
function drawSeed(context: TriggerContext): number {
  return Buffer.from(context.randomBytes(6)).readUIntBE(0, 6)
}

/** The program of the object that the event is about. */
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

/** Stores the story's changes. Values that the spec doesn't allow are sent, but not stored. */
async function keep(context: TriggerContext, mode: Mode, story: Story): Promise<void> {
  for (const change of story.changes) {
    if (!recordSchemas[change.kind].safeParse(change.data).success) continue
    await context.objects.put(change.kind, mode, change.data)
    if (change.kind === 'payment') {
      await planSettlement(context.objects, mode, change.data)
      context.onPlanned()
    }
  }
}

function noHook(
  { event, programId }: TriggerInput,
  { emissions, objects }: Story,
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

function noOrder(story: Story): AppError {
  const events = listed([...new Set(story.emissions.map(({ event }) => event))], 'and')
  return new AppError(
    'NO_HOOK',
    `Out-of-order delivery needs two events. Register hooks for ${events} in the same environment.`,
  )
}
