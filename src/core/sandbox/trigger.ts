/** Triggers events and sends them to their hooks. */
import { literalValues } from '../../shared/body/json-literals.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { TriggerPreview, TriggerResult } from '../../shared/model/sandbox.ts'
import { likelyNames } from '../../shared/query/problem.ts'
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
import { listed } from '../../shared/text/english.ts'
import { LATE_BY_MS } from '../signature/signers.ts'
import { bodyOf, type Notifications, type HookMatch } from './notifications.ts'
import { simulateEvent } from './events.ts'
import { recordSchemas, type HookRecord, type SandboxRecords } from './records.ts'
import { sandboxAccount, type SandboxAccount, type SandboxService } from './service.ts'
import type { Emission, SimulatedEvent, WithValues } from './event-context.ts'
import { noSuchField, replaceObjects, withoutPath } from './payload-paths.ts'
import { ensureProgram } from './programs.ts'
import { Clearings } from './clearings.ts'

/** Lists where events break the interface, each problem once for plain and .qualified events. */
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

/** Input of a trigger; `environment` is by default the account's first. */
export type TriggerInput = WithValues<ParsedInputOf<'sandbox.preview'>>

export class Triggers {
  readonly #service: SandboxService
  readonly #notifications: Notifications
  readonly clearings: Clearings

  constructor(service: SandboxService, notifications: Notifications) {
    this.#service = service
    this.#notifications = notifications
    this.clearings = new Clearings(service, async ({ id }, mode, at) => {
      const environment = service.accounts.find((account) => account.mode === mode)?.environment
      await this.triggerWithoutHook({ event: 'transaction.clearing', environment, of: id }, at)
    })
  }

  /** Triggers an event. Rejects with `NO_HOOK` if no hook receives it. */
  async trigger(input: TriggerInput): Promise<TriggerResult> {
    const prepared = await prepare(this.#service, input, this.#timeOf(input))
    const { simulated, matches, account } = prepared
    if (matches.length === 0)
      throw noHook(input, simulated, account, this.#service.records.all('program', account.mode))
    if (input.fault === 'out-of-order' && matches.length < 2) throw noOrder(simulated)
    await this.#notifications.admit(matches, input.allowHosts)
    return this.#send(prepared, input)
  }

  /** Triggers an event even if no hook receives it; `at` is sandbox time in milliseconds. */
  async triggerWithoutHook(
    input: TriggerInput,
    at = this.#service.clock.now(),
  ): Promise<TriggerResult> {
    return this.#send(await prepare(this.#service, input, at), input)
  }

  readonly preview = async (input: TriggerInput): Promise<TriggerPreview> => {
    const seed = input.seed ?? drawSeed(this.#service)
    const { simulated, matches } = await prepare(
      this.#service,
      { ...input, seed },
      this.#timeOf(input),
    )
    const events = simulated.emissions.map((emission) => ({
      event: emission.event,
      payload: { ...emission.payload },
      body: bodyOf(emission),
      hooks: matches.filter((match) => match.emission === emission).length,
    }))
    return { seed, events }
  }

  async #send(
    { event, account, simulated, matches, otherPrograms }: Awaited<ReturnType<typeof prepare>>,
    { fault, allowHosts, set, literals, unset }: TriggerInput,
  ): Promise<TriggerResult> {
    const isChanged = [set, literals, unset].some((fields) => fields !== undefined)
    const { mode, environment } = account
    for (const { kind, data } of simulated.changes) {
      // Only the payload may break the interface, by set fields.
      if (!recordSchemas[kind].safeParse(data).success) continue
      await this.#service.records.put(kind, mode, data)
    }
    this.clearings.changed()
    const notifications = await this.#notifications.send(matches, mode, fault ?? null, allowHosts)
    return {
      event,
      environment,
      objects: { ...simulated.objects },
      deliveries: notifications,
      otherPrograms,
      findings: isChanged ? findingsOn(simulated.emissions) : [],
    }
  }

  #timeOf({ fault }: TriggerInput) {
    return this.#service.clock.now() - (fault === 'late' ? LATE_BY_MS : 0)
  }
}

function shownEvent(name: string): ShownEventType {
  if (isShownEventType(name)) return name
  const [meant] = likelyNames(name, shownEventTypes)
  const why = isEventType(name)
    ? "The sandbox can't send it: the spec doesn't show its payload (6.1)."
    : 'Unknown event.'
  const guess =
    meant === undefined ? `Events: ${shownEventTypes.join(', ')}.` : `Did you mean ${meant}?`
  throw new AppError('INVALID_INPUT', `${name}: ${why} ${guess}`)
}

/** Bytes of a seed, few enough for an exact number. */
const SEED_BYTES = 6

/** Draws a seed, which no two triggers share. */
export function drawSeed(service: SandboxService): number {
  return Buffer.from(service.randomBytes(SEED_BYTES)).readUIntBE(0, SEED_BYTES)
}

/**
 * Simulates an event and finds its hooks, and other programs with such hooks. Stores only a missing
 * program.
 */
async function prepare(service: SandboxService, input: TriggerInput, now: number) {
  const { records } = service
  const event = shownEvent(input.event)
  const account = sandboxAccount(service.accounts, input.environment)
  const { mode, environment } = account
  const hooks = records.all('hook', mode)
  const programId =
    input.programId ?? programOf(records, mode, input.of) ?? programOfHooks(hooks, event)
  if (input.programId !== undefined && records.find('program', input.programId, mode) === undefined)
    throw new AppError('NOT_FOUND', `Program ${input.programId} not found in ${environment}.`)
  const program = await ensureProgram(records, mode, now, programId)
  const seed = input.seed ?? drawSeed(service)
  const qualified = qualifiedEventOf(event)
  const offerIds = hooks.flatMap((hook) =>
    hook.event === qualified && hook.offerId !== null ? [hook.offerId] : [],
  )
  const set = { ...input.set, ...literalValues(input.literals) }
  const aboutId = input.of
  const seeded = input.seed !== undefined
  const simulated = simulateEvent(
    event,
    { mode, seed, now, environment, records, program, seeded, of: aboutId, offerIds, set },
    input.fault ?? null,
  )
  const requested = {
    ...simulated,
    emissions: withRequestedFields(simulated.emissions, event, { ...input, set }),
  }
  const matches = requested.emissions.flatMap((emission) =>
    hooks
      .filter((hook) => isReceiver(hook, emission))
      .map((hook): HookMatch => ({ emission, hook })),
  )
  const events = new Set<string>(requested.emissions.map((emission) => emission.event))
  const programs = new Set(
    hooks.flatMap((hook) => (events.has(hook.event) ? (hook.programId ?? []) : [])),
  )
  const isNamed = input.programId !== undefined || aboutId !== undefined
  const otherPrograms = records
    .all('program', mode)
    .filter(({ id }) => !isNamed && id !== program.id && programs.has(id))
    .map(({ id, name }) => ({ id, name }))
  return { event, account, simulated: requested, matches, otherPrograms }
}

/**
 * Changes payloads, but no stored objects, by `unset`, `observed`, and the fields of `set` that
 * replace objects; the simulation applied the others.
 */
function withRequestedFields(
  emissions: readonly Emission[],
  event: ShownEventType,
  { set = {}, literals = {}, unset = [], observed = false }: TriggerInput,
) {
  const [resource] = event.split('.')
  const isOfResource = (emission: Emission) => emission.event.split('.')[0] === resource
  const pathsSet = Object.keys(set)
  const requested = emissions.map((plainEmission) => {
    const emission = observed
      ? {
          ...plainEmission,
          payload: asObserved(plainEmission.event, plainEmission.payload, pathsSet),
        }
      : plainEmission
    return isOfResource(emission)
      ? { ...emission, payload: replaceObjects(emission.payload, set), literals }
      : emission
  })
  return unset.reduce((all, path) => {
    const without = all.map((emission) =>
      isOfResource(emission) ? withoutPath(emission.payload, path) : null,
    )
    // Only .qualified events have offer fields.
    if (without.every((payload) => payload === null)) throw noSuchField(path)
    return all.map((emission, index) => ({
      ...emission,
      payload: without[index] ?? emission.payload,
    }))
  }, requested)
}

/** Returns the .qualified event of a transaction; others map to themselves. */
function qualifiedEventOf(event: ShownEventType): string {
  return isTransactionEvent(event) && !isQualifiedEvent(event) ? `${event}.qualified` : event
}

/** Returns the program of the first hook for the event or its .qualified one. */
function programOfHooks(hooks: readonly HookRecord[], event: ShownEventType): string | undefined {
  const programIds = [event, qualifiedEventOf(event)].flatMap((name) =>
    hooks.filter((hook) => hook.event === name).map(({ programId }) => programId),
  )
  return programIds.find((programId) => programId !== null) ?? undefined
}

function programOf(
  records: SandboxRecords,
  mode: Mode,
  aboutId: string | undefined,
): string | undefined {
  if (aboutId === undefined) return undefined
  return (
    records.find('payment', aboutId, mode)?.transaction.programId ??
    records.find('card', aboutId, mode)?.programId ??
    records.find('location', aboutId, mode)?.programId ??
    records.find('program', aboutId, mode)?.id
  )
}

/** Whether a hook of one program receives events of another; null stands for every program. */
function isForProgram(hookProgramId: string | null, programId: string | null): boolean {
  return hookProgramId === null || programId === null || hookProgramId === programId
}

/** Whether a hook receives an event, by its type, program and offer (section 6.2). */
function isReceiver(hook: HookRecord, emission: Emission): boolean {
  return (
    hook.event === emission.event &&
    isForProgram(hook.programId, emission.programId) &&
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
  const suffix = isOfProgram && programId !== undefined ? ` for program ${programId}` : ''
  const choices =
    isOfProgram && programId === undefined && programs.length > 1
      ? ` Programs: ${programs.map(({ id, name }) => `${id} (${name})`).join(', ')}.`
      : ''
  const why = `No hook in ${environment} receives ${listed(events, 'or')}${suffix}.`
  return new AppError('NO_HOOK', `${why}${choices} Create one: ${command}`, {
    details: { events, environment, command },
  })
}

function noOrder(simulated: SimulatedEvent): AppError {
  const events = listed([...new Set(simulated.emissions.map(({ event }) => event))], 'and')
  return new AppError(
    'NO_HOOK',
    `Out-of-order delivery needs two events. Register hooks for ${events} in the same environment.`,
  )
}
