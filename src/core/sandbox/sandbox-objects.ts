/** Lists, creates and changes objects as users see them, and sends their events (section 6.2). */
import type { z } from 'zod'
import { literalValues, type Literals } from '../../shared/body/json-literals.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  sandboxObjectKindSchema,
  type SandboxChange,
  type SandboxObject,
  type SandboxObjectKind,
} from '../../shared/model/sandbox.ts'
import type { Notification } from '../../shared/model/notification.ts'
import { schemes } from '../../shared/service/resources.ts'
import type { WithValues, Values } from './event-context.ts'
import { newLocation } from './object-events.ts'
import { setPaths, withoutPath, noSuchField } from './payload-paths.ts'
import { type RecordKind, type RecordOf, recordSchemas } from './records.ts'
import { type SandboxAccount, type SandboxService, sandboxAccount } from './service.ts'
import { type Triggers, type TriggerInput, drawSeed } from './trigger.ts'
import { type ObjectSeed, makeWorld, makeBrand, makeOffer, iso } from './world.ts'
import { storeWorld, ensureProgram } from './programs.ts'

export type CreateObjectInput = WithValues<ParsedInputOf<'sandbox.create'>>

export type UpdateObjectInput = WithValues<ParsedInputOf<'sandbox.update'>>

const kinds = sandboxObjectKindSchema.options

/** Fields that can't change, because they decide where an object belongs. */
const FIXED_FIELDS = new Set(['id', 'accountId', 'programId', 'live'])

/** Time until a new location's schemes are active. */
const ACTIVATION_MS = 3 * 86_400_000

/** Events that announce new objects; live mode announces only cards at once. */
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

function toSandboxObject(
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

export class SandboxObjects {
  readonly #service: SandboxService
  readonly #triggers: Triggers

  constructor(service: SandboxService, triggers: Triggers) {
    this.#service = service
    this.#triggers = triggers
  }

  list({
    environment,
    kind,
  }: Partial<Pick<CreateObjectInput, 'environment' | 'kind'>> = {}): SandboxObject[] {
    const { accounts } = this.#service
    return (environment === undefined ? accounts : [sandboxAccount(accounts, environment)]).flatMap(
      (account) =>
        kinds
          .filter((each) => kind === undefined || each === kind)
          .flatMap((each) =>
            this.#service.records
              .all(recordKind(each), account.mode)
              .map((data) => toSandboxObject(each, data, account)),
          ),
    )
  }

  async create({
    kind,
    programId,
    literals,
    environment,
    allowHosts,
    ...input
  }: CreateObjectInput): Promise<SandboxChange> {
    const set = { ...input.set, ...literalValues(literals) }
    const account = sandboxAccount(this.#service.accounts, environment)
    const { mode } = account
    const about = { environment: account.environment, allowHosts }
    const seed = input.seed ?? drawSeed(this.#service)
    if (kind === 'transaction')
      throw new AppError(
        'INVALID_INPUT',
        'Transactions are created by their event: `countersign trigger transaction.auth`.',
      )
    if (
      programId !== undefined &&
      this.#service.records.find('program', programId, mode) === undefined
    )
      throw new AppError('NOT_FOUND', `Program ${programId} not found in ${account.environment}.`)
    if (kind === 'card' || (mode === 'test' && (kind === 'brand' || kind === 'location'))) {
      const { objects: created, deliveries } = await this.#triggers.triggerWithoutHook({
        ...about,
        event: announcements[kind],
        programId,
        set,
        literals,
        seed,
      })
      return this.#changeOf(created[kind] ?? '', account, deliveries)
    }
    const objectSeed = { seed, mode, now: this.#service.clock.now() }
    const id = await this.#createQuietly(kind, objectSeed, account, { set, programId })
    return this.#changeOf(
      id,
      account,
      kind === 'location' ? await this.#reportSyncs(id, about, set) : [],
    )
  }

  /** Sets and removes fields. Rejects with `NOT_FOUND` or `INVALID_INPUT`. */
  async update({
    environment,
    allowHosts,
    id,
    literals,
    unset = [],
    ...input
  }: UpdateObjectInput): Promise<SandboxChange> {
    const set = { ...input.set, ...literalValues(literals) }
    const account = sandboxAccount(this.#service.accounts, environment)
    const { kind, data } = this.#find(id, account)
    const fixed = [...Object.keys(set), ...unset].find((path) => FIXED_FIELDS.has(path))
    if (fixed !== undefined)
      throw new AppError(
        'INVALID_INPUT',
        `\`${fixed}\` identifies the object and can't be changed.`,
      )
    // A missing path is probably a typo.
    const change = (fields: object) =>
      unset.reduce<object>(
        (remaining, path) => {
          const without = withoutPath(remaining, path)
          if (without === null) throw noSuchField(path)
          return without
        },
        setPaths(fields, set),
      )
    const edited =
      kind === 'transaction' && 'transaction' in data
        ? { ...data, transaction: change(data.transaction as object) }
        : change({
            ...data,
            ...('updated' in data ? { updated: iso(this.#service.clock.now()) } : {}),
          })
    await this.#put(recordKind(kind), account, edited)
    const about = { environment: account.environment, allowHosts }
    const trigger = async (event: string, aboutId: string, typedLiterals?: Literals) => {
      const { deliveries } = await this.#triggers.triggerWithoutHook({
        ...about,
        event,
        of: aboutId,
        literals: typedLiterals,
      })
      return this.#changeOf(id, account, deliveries)
    }
    // In live mode the brand's user approves (section 6.2).
    const approved =
      kind === 'brand' &&
      'consent' in data &&
      data.consent === false &&
      'consent' in edited &&
      edited.consent === true
    if (approved) return trigger('brand.consent', id, literals)
    if (kind !== 'location' || account.mode === 'test') return this.#changeOf(id, account)
    const reports = await this.#reportSyncs(id, about, set)
    // A report already announces the program's change.
    return reports.length === 0 && 'programId' in edited
      ? trigger('program.status', String(edited.programId))
      : this.#changeOf(id, account, reports)
  }

  #find(id: string, { mode, environment }: SandboxAccount) {
    for (const kind of kinds) {
      const data: object | undefined = this.#service.records.find(recordKind(kind), id, mode)
      if (data !== undefined) return { kind, data }
    }
    throw new AppError(
      'NOT_FOUND',
      `Object ${id} not found in ${environment}. List objects with \`countersign sandbox list\`.`,
    )
  }

  #changeOf(id: string, account: SandboxAccount, deliveries: Notification[] = []): SandboxChange {
    const { kind, data } = this.#find(id, account)
    return { object: toSandboxObject(kind, data, account), deliveries }
  }

  async #put(kind: RecordKind, { mode }: SandboxAccount, data: object) {
    const record = parseRecord(kind, data)
    await this.#service.records.put(kind, mode, record)
    return record.id
  }

  /**
   * Sends location.status for the schemes whose status is set, as if their sync had ended (section
   * 6.2).
   */
  async #reportSyncs(
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
      const { deliveries } = await this.#triggers.triggerWithoutHook({
        ...about,
        event: 'location.status',
        of: id,
        set: report,
      })
      reports.push(...deliveries)
    }
    return reports
  }

  /** Creates an object without an event, such as a location that live mode announces later. */
  async #createQuietly(
    kind: 'program' | 'brand' | 'location' | 'offer',
    seed: ObjectSeed,
    account: SandboxAccount,
    { set, programId }: Pick<TriggerInput, 'set' | 'programId'>,
  ): Promise<string> {
    const { records } = this.#service
    const { mode, now } = seed
    const withSet = (data: object) => setPaths(data, set ?? {})
    if (kind === 'program') {
      const world = makeWorld(seed)
      const program = parseRecord('program', withSet(world.program))
      await storeWorld(records, mode, { ...world, program })
      return program.id
    }
    const stored = (data: object) => this.#put(kind, account, withSet(data))
    const program = await ensureProgram(records, mode, now, programId)
    if (kind === 'brand') return stored({ ...makeBrand(seed, 'new brand'), consent: false })
    if (kind === 'offer') return stored(makeOffer(seed, 'new offer', program.id))
    const { brand, location } = newLocation({ ...seed, records, program })
    await records.put('brand', mode, brand)
    const inactive = {
      status: 'inactive',
      auth: false,
      clearing: false,
      estimatedActivationDate: iso(now + ACTIVATION_MS),
    }
    const synced = schemes.map((scheme) => [scheme, { ...location[scheme], ...inactive }])
    return stored({ ...location, ...Object.fromEntries(synced) })
  }
}

/** Parses a record. Throws `INVALID_INPUT` if it isn't of this kind. */
function parseRecord<K extends RecordKind>(kind: K, data: object): RecordOf<K> {
  const parsed: z.ZodSafeParseResult<unknown> = recordSchemas[kind].safeParse(data)
  // The schema belongs to exactly this kind.
  if (parsed.success) return parsed.data as RecordOf<K>
  const [issue] = parsed.error.issues
  throw new AppError(
    'INVALID_INPUT',
    `\`${issue?.path.join('.') ?? ''}\` must be ${issue?.message ?? 'right'}.`,
  )
}

/** Returns the value that `set` has for a field, by its path or within its object. */
function setFieldOf(set: Values, object: string, field: string): unknown {
  const whole = set[object]
  return (
    set[`${object}.${field}`] ??
    (typeof whole === 'object' && whole !== null ? Reflect.get(whole, field) : undefined)
  )
}
