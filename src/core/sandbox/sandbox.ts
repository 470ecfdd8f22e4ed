/**
 * The service, emulated on this computer (see `docs/sandbox.md`): its events, hooks and deliveries, and its objects, which people
 * list, create and change.
 */
import type { z } from 'zod'
import { literalValues, type Literals } from '../../shared/body/json-literals.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  sandboxObjectKindSchema,
  type Notification,
  type SandboxChange,
  type SandboxObject,
  type SandboxObjectKind,
  type TriggerResult,
} from '../../shared/model/sandbox.ts'
import { schemes } from '../../shared/service/resources.ts'
import { whenAborted } from '../base/async.ts'
import { createHookRegistry, startApi } from './api.ts'
import { CLOCK_ID, createSandboxClock } from './clock.ts'
import { createDeliveries } from './deliveries.ts'
import { newLocation } from './events.ts'
import {
  loadObjects,
  recordSchemas,
  sandboxAccount,
  type RecordKind,
  type RecordOf,
  type SandboxAccount,
  type SandboxDeps,
  type Service,
} from './records.ts'
import {
  noSuchField,
  setPaths,
  withoutPath,
  type Values,
  type WithValues,
} from './event-context.ts'
import { createTriggers, drawSeed, type TriggerInput, type Triggers } from './trigger.ts'
import {
  ensureOffer,
  ensureProgram,
  iso,
  makeBrand,
  makeOffer,
  makeWorld,
  storeWorld,
  type ObjectSeed,
} from './world.ts'

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>

export async function createSandbox(deps: SandboxDeps) {
  const objects = await loadObjects(deps.storage, deps.log, deps.onChanged)
  const clock = createSandboxClock(deps.clock, objects.find('clock', CLOCK_ID, 'test'), (record) =>
    objects.put('clock', 'test', record),
  )
  const service: Service = { ...deps, wall: deps.clock, clock, objects }
  /** One in each mode, and those named by hooks. */
  async function makePrograms(): Promise<void> {
    for (const { mode } of deps.accounts) {
      await ensureProgram(objects, mode, clock.now())
      for (const { programId, offerId } of objects.all('hook', mode)) {
        if (programId !== null) await ensureProgram(objects, mode, clock.now(), programId)
        if (offerId !== null) await ensureOffer(objects, mode, clock.now(), offerId, programId)
      }
    }
  }
  await makePrograms()
  const deliveries = createDeliveries(service)
  const triggers = createTriggers(service, deliveries)
  const { clearings } = triggers
  const hooks = createHookRegistry(service, deliveries)
  const server = await startApi(service, hooks)
  deliveries.resume()
  clearings.start()

  return {
    /** `https://127.0.0.1:PORT` */
    url: server.url,
    port: server.port,
    registerHook: hooks.register,
    removeHook: hooks.drop,
    /**
     * Triggers an event; resolves when the first attempt of each notification has ended. If aborted, it rejects and sending
     * continues.
     */
    trigger(input: TriggerInput, signal = AbortSignal.any([])): Promise<TriggerResult> {
      const cancelled = whenAborted(signal).then(() => {
        throw new AppError('CANCELLED', 'Trigger cancelled. Deliveries that had started continue.')
      })
      return Promise.race([triggers.trigger(input), cancelled])
    },
    preview: triggers.preview,
    objects: createObjectDesk(service, triggers),
    clock,
    /** Resets objects, pending deliveries and clock. Hooks and keys stay. */
    async reset() {
      await deliveries.stopAll()
      for (const kind of [
        'notification',
        'payment',
        'card',
        'location',
        'brand',
        'offer',
        'program',
      ] as const) {
        for (const { data } of objects.entries(kind)) await objects.remove(kind, data.id)
      }
      await clock.reset()
      await makePrograms()
    },
    notifications: deliveries.list,
    sendAgain: deliveries.sendAgain,
    clearings: clearings.list,
    async close() {
      await server.close()
      // Called first, so that none starts; a clearing in progress ends with its deliveries.
      const settled = clearings.close()
      await deliveries.close()
      await settled
    },
  }
}

// Objects. Those of some kinds trigger the events that the spec attaches to them: a brand consents, a location is reported, a card
// is linked (section 6.2).

export type CreateObjectInput = WithValues<ParsedInputOf<'sandbox.create'>>
export type UpdateObjectInput = WithValues<ParsedInputOf<'sandbox.update'>>

const kinds = sandboxObjectKindSchema.options

/** Fields that decide where an object belongs can't change. */
const FIXED = new Set(['id', 'accountId', 'programId', 'live'])

/** The events that announce new objects; in live mode brands and locations are announced later. */
const announcements = {
  card: 'card.linked',
  brand: 'brand.consent',
  location: 'location.status',
} as const

function recordKind(
  kind: SandboxObjectKind,
): Exclude<SandboxObjectKind, 'transaction'> | 'payment' {
  return kind === 'transaction' ? 'payment' : kind
}

const titles: Readonly<Record<SandboxObjectKind, (text: (name: string) => string) => string>> = {
  program: (text) => text('name'),
  brand: (text) => text('name'),
  offer: (text) => text('name'),
  location: (text) => `${text('address')}, ${text('city')}`,
  card: (text) => `${text('scheme')} ${text('firstNumbers')}…${text('lastNumbers')}`,
  transaction: (text) =>
    `${text('amount')} ${text('currency')}${text('cleared') === 'true' ? ', cleared' : ''}`,
}

function show(
  kind: SandboxObjectKind,
  record: object,
  { environment, mode }: SandboxAccount,
): SandboxObject {
  const isPayment = kind === 'transaction' && 'transaction' in record
  const data = { ...(isPayment ? (record.transaction as Values) : record) } as Values
  const text = (name: string) => {
    const value = data[name]
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
  }
  return { kind, id: String(data['id']), environment, mode, title: titles[kind](text), data }
}

function createObjectDesk(service: Service, triggers: Triggers) {
  const { objects, accounts, clock } = service

  function find(id: string, { mode, environment }: SandboxAccount) {
    for (const kind of kinds) {
      const data: object | undefined = objects.find(recordKind(kind), id, mode)
      if (data !== undefined) return { kind, data }
    }
    throw new AppError(
      'NOT_FOUND',
      `Object ${id} not found in ${environment}. List objects with \`countersign sandbox list\`.`,
    )
  }

  function changed(
    id: string,
    account: SandboxAccount,
    deliveries: Notification[] = [],
  ): SandboxChange {
    const { kind, data } = find(id, account)
    return { object: show(kind, data, account), deliveries }
  }

  async function put(kind: RecordKind, { mode }: SandboxAccount, data: object) {
    const record = valid(kind, data)
    await objects.put(kind, mode, record)
    return record.id
  }

  /**
   * In live mode, setting a scheme's status to active or inactive ends its sync, and the card network reports it (section 6.2). The
   * report turns auths and clearings on or off, unless they are set too.
   */
  async function reportSyncs(
    id: string,
    about: Pick<TriggerInput, 'environment' | 'allowHosts'>,
    set: Values,
  ): Promise<Notification[]> {
    const reports: Notification[] = []
    for (const scheme of schemes) {
      const status = setFieldOf(set, scheme, 'status')
      if (status !== 'active' && status !== 'inactive') continue
      const chosen = ['auth', 'clearing'].flatMap((field) => {
        const value = setFieldOf(set, scheme, field)
        return value === undefined ? [] : [[`location.${scheme}.${field}`, value]]
      })
      const report = {
        scheme,
        status: status === 'active' ? 'location.active' : 'location.failed',
        ...Object.fromEntries(chosen),
      }
      const { deliveries } = await triggers.cause({
        ...about,
        event: 'location.status',
        of: id,
        set: report,
      })
      reports.push(...deliveries)
    }
    return reports
  }

  /** Stores an object without an event: in live mode a brand hasn't consented yet and a location isn't active with any scheme. */
  async function makeQuietly(
    kind: 'program' | 'brand' | 'location' | 'offer',
    making: ObjectSeed,
    account: SandboxAccount,
    { set, programId }: Pick<TriggerInput, 'set' | 'programId'>,
  ): Promise<string> {
    const { mode, now } = making
    const withSet = (data: object) => setPaths(data, set ?? {})
    if (kind === 'program') {
      const world = makeWorld(making)
      const program = valid('program', withSet(world.program))
      await storeWorld(objects, mode, { ...world, program })
      return program.id
    }
    const stored = (data: object) => put(kind, account, withSet(data))
    const program = await ensureProgram(objects, mode, now, programId)
    if (kind === 'brand') return stored({ ...makeBrand(making, 'new brand'), consent: false })
    if (kind === 'offer') return stored(makeOffer(making, 'new offer', program.id))
    const { brand, location: made } = newLocation({ ...making, objects, program })
    await objects.put('brand', mode, brand)
    const waiting = {
      status: 'inactive',
      auth: false,
      clearing: false,
      estimatedActivationDate: iso(now + 3 * 86_400_000),
    }
    const synced = schemes.map((scheme) => [scheme, { ...made[scheme], ...waiting }])
    return stored({ ...made, ...Object.fromEntries(synced) })
  }

  return {
    /** Oldest first. */
    list: ({
      environment,
      kind,
    }: Partial<Pick<CreateObjectInput, 'environment' | 'kind'>> = {}): SandboxObject[] =>
      (environment === undefined ? accounts : [sandboxAccount(accounts, environment)]).flatMap(
        (account) =>
          kinds
            .filter((each) => kind === undefined || each === kind)
            .flatMap((each) =>
              objects.all(recordKind(each), account.mode).map((data) => show(each, data, account)),
            ),
      ),

    async create({
      kind,
      programId,
      literals,
      environment,
      allowHosts,
      ...input
    }: CreateObjectInput): Promise<SandboxChange> {
      const set = { ...input.set, ...literalValues(literals) }
      const account = sandboxAccount(accounts, environment)
      const { mode } = account
      const about = { environment: account.environment, allowHosts }
      const seed = input.seed ?? drawSeed(service)
      if (kind === 'transaction')
        throw new AppError(
          'INVALID_INPUT',
          'Transactions are created by their event: `countersign trigger transaction.auth`.',
        )
      if (programId !== undefined && objects.find('program', programId, mode) === undefined)
        throw new AppError('NOT_FOUND', `Program ${programId} not found in ${account.environment}.`)
      if (kind === 'card' || (mode === 'test' && (kind === 'brand' || kind === 'location'))) {
        const { objects: made, deliveries } = await triggers.cause({
          ...about,
          event: announcements[kind],
          programId,
          set,
          literals,
          seed,
        })
        return changed(made[kind] ?? '', account, deliveries)
      }
      const making = { seed, mode, now: clock.now() }
      const id = await makeQuietly(kind, making, account, { set, programId })
      return changed(id, account, kind === 'location' ? await reportSyncs(id, about, set) : [])
    },

    /** Sets and removes fields by path. Rejects with `NOT_FOUND`, or with `INVALID_INPUT` if the spec doesn't allow it. */
    async update({
      environment,
      allowHosts,
      id,
      literals,
      unset = [],
      ...input
    }: UpdateObjectInput): Promise<SandboxChange> {
      const set = { ...input.set, ...literalValues(literals) }
      const account = sandboxAccount(accounts, environment)
      const { kind, data } = find(id, account)
      const fixed = [...Object.keys(set), ...unset].find((path) => FIXED.has(path))
      if (fixed !== undefined)
        throw new AppError(
          'INVALID_INPUT',
          `\`${fixed}\` identifies the object and can't be changed.`,
        )
      // A path that doesn't exist is reported as a typo.
      const change = (fields: object) =>
        unset.reduce<object>(
          (left, path) => {
            const without = withoutPath(left, path)
            if (without === null) throw noSuchField(path)
            return without
          },
          setPaths(fields, set),
        )
      const edited =
        kind === 'transaction' && 'transaction' in data
          ? { ...data, transaction: change(data.transaction as object) }
          : change({ ...data, ...('updated' in data ? { updated: iso(clock.now()) } : {}) })
      await put(recordKind(kind), account, edited)
      const about = { environment: account.environment, allowHosts }
      const cause = async (event: string, of: string, typed?: Literals) => {
        const { deliveries } = await triggers.cause({ ...about, event, of, literals: typed })
        return changed(id, account, deliveries)
      }
      // In live mode the event is sent when the brand's user approves (section 6.2).
      const approved =
        kind === 'brand' &&
        'consent' in data &&
        data.consent === false &&
        'consent' in edited &&
        edited.consent === true
      if (approved) return cause('brand.consent', id, literals)
      if (kind !== 'location' || account.mode === 'test') return changed(id, account)
      const reports = await reportSyncs(id, about, set)
      // A report already announces the program's change.
      return reports.length === 0 && 'programId' in edited
        ? cause('program.status', String(edited.programId))
        : changed(id, account, reports)
    },
  }
}

/** The data as a record of this kind. Throws `INVALID_INPUT` if it isn't one. */
function valid<K extends RecordKind>(kind: K, data: object): RecordOf<K> {
  const parsed: z.ZodSafeParseResult<unknown> = recordSchemas[kind].safeParse(data)
  // Parsed by the schema of exactly this kind.
  if (parsed.success) return parsed.data as RecordOf<K>
  const [issue] = parsed.error.issues
  throw new AppError(
    'INVALID_INPUT',
    `\`${issue?.path.join('.') ?? ''}\` must be ${issue?.message ?? 'right'}.`,
  )
}

/** The result of `set` for one field of an object, whether it names the field or the whole object. */
function setFieldOf(set: Values, object: string, field: string): unknown {
  const whole = set[object]
  return (
    set[`${object}.${field}`] ??
    (typeof whole === 'object' && whole !== null ? Reflect.get(whole, field) : undefined)
  )
}
