/** Causes an event: makes or finds what it is about, and sends it to every hook that is registered for it. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Fault, Notification, TriggerResult } from '../../shared/model/sending.ts'
import {
  isEventType,
  isQualifiedEvent,
  isShownEventType,
  shownEventTypes,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import type { Ids } from '../deps.ts'
import { DEFAULT_PORTS } from '../core.ts'
import { toNotification, type Deliveries } from './deliveries.ts'
import { LATE_BY_MS } from './fault.ts'
import type { Objects } from './objects.ts'
import { ensureProgram } from './programs.ts'
import { recordSchemas, type HookRecord, type NotificationRecord } from './records.ts'
import type { SandboxAccount } from './account.ts'
import type { Emission, Story } from './scene.ts'
import { tellStory } from './story-of-event.ts'

export interface TriggerInput {
  readonly event: string
  /** Name of the environment; by default the first of the account's. */
  readonly environment?: string | undefined
  readonly programId?: string | undefined
  /** The object that the event is about: the auth of a clearing, the purchase of a refund, a brand, card, location or program. */
  readonly of?: string | undefined
  /** Fields of the payload to set, by path. */
  readonly set?: Readonly<Record<string, unknown>> | undefined
  /** The same seed makes the same objects. */
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
  readonly receiverUrl?: () => string | null
}

/** How long an event's first attempt holds back the next event of the same story, in milliseconds: they arrive in order. */
const ORDER_WAIT_MS = 1_000

/** One delivery to make: an event and the hook that it goes to. */
interface Match {
  readonly emission: Emission
  readonly hook: HookRecord
}

export function createTrigger(context: TriggerContext): (input: TriggerInput) => Promise<TriggerResult> {
  return async (input) => {
    const event = shownEvent(input.event)
    const account = accountOf(context, input.environment)
    const { story, matches } = await prepare(context, event, account, input)
    if (matches.length === 0) throw noHook(context, story, account)
    if (input.fault === 'out-of-order' && matches.length < 2) throw noOrder(story)
    await keep(context.objects, account.mode, story)
    const records = await send(context, matches, account.mode, input.fault ?? null)
    return { event, environment: account.environment, objects: { ...story.objects }, deliveries: records }
  }
}

function shownEvent(name: string): ShownEventType {
  if (isShownEventType(name)) return name
  const why = isEventType(name)
    ? 'the interface names it, but does not show its payload (section 6.1)'
    : 'the interface has no such event'
  throw new AppError('INVALID_INPUT', `The sandbox cannot send ${name}: ${why}. It sends ${shownEventTypes.join(', ')}.`)
}

function accountOf(context: TriggerContext, environment: string | undefined): SandboxAccount {
  const account =
    environment === undefined ? context.accounts[0] : context.accounts.find((each) => each.environment === environment)
  if (account !== undefined) return account
  const names = context.accounts.map((each) => each.environment).join(' and ')
  throw new AppError('NOT_FOUND', `The sandbox has no environment ${environment ?? ''}: it serves ${names}.`)
}

async function prepare(context: TriggerContext, event: ShownEventType, account: SandboxAccount, input: TriggerInput) {
  const { objects } = context
  const { mode } = account
  const now = context.clock.now() - (input.fault === 'late' ? LATE_BY_MS : 0)
  const hooks = objects.all('hook', mode)
  const wanting = hooks.filter(
    (hook) => hook.event === event && (input.programId === undefined || concerns(hook.programId, input.programId)),
  )
  const programId =
    input.programId ?? programOf(objects, mode, input.of) ?? wanting.find((hook) => hook.programId !== null)?.programId
  if (input.programId !== undefined && objects.find('program', input.programId, mode) === undefined) {
    throw new AppError('NOT_FOUND', `There is no program ${input.programId} in ${account.environment}.`)
  }
  const program = await ensureProgram(objects, mode, now, programId ?? undefined)
  const making = { seed: input.seed ?? Buffer.from(context.randomBytes(6)).readUIntBE(0, 6), mode, now }
  const offerId = isQualifiedEvent(event)
    ? wanting.find((hook) => hook.offerId !== null && concerns(hook.programId, program.id))?.offerId
    : undefined
  const story = tellStory(
    event,
    {
      mode,
      environment: account.environment,
      objects,
      program,
      making,
      seeded: input.seed !== undefined,
      of: input.of,
      offerId: offerId ?? undefined,
      set: input.set ?? {},
    },
    input.fault ?? null,
  )
  const matches = story.emissions.flatMap((emission) =>
    hooks.filter((hook) => takes(hook, emission)).map((hook): Match => ({ emission, hook })),
  )
  return { story, matches }
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

/** A hook that names no program (one made by hand may not) hears of all. */
function concerns(hookProgramId: string | null, programId: string | null): boolean {
  return hookProgramId === null || programId === null || hookProgramId === programId
}

/** Whether the hook is registered for the event, its program and, where it asks for one, its offer (section 6.2). */
function takes(hook: HookRecord, emission: Emission): boolean {
  return (
    hook.event === emission.event &&
    concerns(hook.programId, emission.programId) &&
    (hook.offerId === null || hook.offerId === emission.offerId)
  )
}

/** Keeps what the story changed. Fields set to what the interface does not allow are sent, but not kept. */
async function keep(objects: Objects, mode: Mode, story: Story): Promise<void> {
  for (const { kind, data } of story.changes) {
    if (recordSchemas[kind].safeParse(data).success) await objects.put(kind, mode, data)
  }
}

async function send(
  context: TriggerContext,
  matches: readonly Match[],
  mode: Mode,
  fault: Fault | null,
): Promise<Notification[]> {
  const { objects, deliveries, ids } = context
  const records = matches.map(({ emission, hook }) => newNotification(ids.next(), emission, hook, fault))
  for (const record of records) await objects.put('notification', mode, record)
  const made: string[] = []

  async function sendOne(record: NotificationRecord): Promise<void> {
    made.push(record.id)
    const started = deliveries.start(record, mode)
    await started.firstAttempt
    if (fault !== 'duplicate') return
    // A duplicate is a repeat of what was acknowledged: it follows at once, or when a later attempt has succeeded.
    if (objects.find('notification', record.id, mode)?.state === 'acknowledged') await repeat(record)
    else void started.ended.then((state) => (state === 'acknowledged' ? repeat(record) : undefined))
  }

  async function repeat(record: NotificationRecord): Promise<void> {
    const copy = { ...record, id: ids.next() }
    await objects.put('notification', mode, copy)
    made.push(copy.id)
    await deliveries.start(copy, mode).firstAttempt
  }

  const firstAttempts: Promise<unknown>[] = []
  for (const emission of new Set(matches.map((match) => match.emission))) {
    const first = Promise.all(records.filter((_, index) => matches[index]?.emission === emission).map(sendOne))
    firstAttempts.push(first)
    await atMost(first, ORDER_WAIT_MS)
  }
  await Promise.all(firstAttempts)
  return made.flatMap((id) => objects.find('notification', id, mode) ?? []).map(toNotification)
}

function newNotification(id: string, emission: Emission, hook: HookRecord, fault: Fault | null): NotificationRecord {
  return {
    id,
    event: emission.event,
    hookId: hook.id,
    url: hook.url,
    body: JSON.stringify(emission.payload),
    headers: { ...hook.headers },
    fault,
    attempts: [],
    state: 'pending',
    dueAt: null,
  }
}

/** Waits for the promise, but not longer than `ms` of the wall clock. */
async function atMost(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, late])
  clearTimeout(timer)
}

function noHook(context: TriggerContext, story: Story, account: SandboxAccount): AppError {
  const events = [...new Set(story.emissions.map(({ event }) => event))]
  const [first = ''] = events
  const base = context.receiverUrl?.() ?? `https://127.0.0.1:${DEFAULT_PORTS.receiver}`
  const command = `countersign hooks import --environment ${account.environment} --event ${first} --url ${base}/${first} --secret SECRET`
  return new AppError(
    'NO_HOOK',
    `No hook in ${account.environment} takes ${events.join(' or ')}, so the sandbox has nowhere to send it. Make one: ${command}`,
    { details: { events, environment: account.environment, command } },
  )
}

function noOrder(story: Story): AppError {
  const events = [...new Set(story.emissions.map(({ event }) => event))].join(' and ')
  return new AppError('NO_HOOK', `Out of order takes two deliveries. Register hooks for ${events} in the same environment.`)
}
