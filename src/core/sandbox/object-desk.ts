/**
 * Lists, creates and changes the sandbox's objects, and triggers the events that the spec attaches to them: a brand consents, a
 * location is reported, a card is linked (section 6.2).
 */
import type { z } from 'zod'
import { literalValues, type Literals } from '../../shared/body/json-literals.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import {
  type Notification,
  sandboxObjectKindSchema,
  type SandboxChange,
  type SandboxObject,
  type SandboxObjectKind,
} from '../../shared/model/sandbox.ts'
import { schemes } from '../../shared/service/resources.ts'
import { sandboxAccount, type SandboxAccount } from './account.ts'
import { setPaths, withoutPaths } from './payload-edit.ts'
import {
  ensureProgram,
  makeBrand,
  makeLocation,
  makeOffer,
  makeWorld,
  type Making,
  recordSchemas,
  type RecordKind,
  type Objects,
} from './world.ts'
import type { Triggers } from './trigger.ts'

export interface CreateObjectInput {
  readonly environment?: string | undefined
  readonly kind: SandboxObjectKind
  readonly programId?: string | undefined
  readonly set?: Readonly<Record<string, unknown>> | undefined
  /** Applied after `set`, and sent as typed in the event that the new object triggers. Stored are the values. */
  readonly literals?: Literals | undefined
  readonly seed?: number | undefined
}

export interface UpdateObjectInput {
  readonly environment?: string | undefined
  readonly id: string
  readonly set?: Readonly<Record<string, unknown>> | undefined
  /** Applied after `set`, and sent as typed in the event that the change triggers. Stored are the values. */
  readonly literals?: Literals | undefined
  readonly unset?: readonly string[] | undefined
}

export interface ObjectDeskDeps {
  readonly objects: Objects
  readonly accounts: readonly SandboxAccount[]
  readonly clock: { now(): number }
  readonly triggers: Triggers
  randomBytes(count: number): Uint8Array
}

const kinds = sandboxObjectKindSchema.options

/** The kind it is stored under. */
function recordKind(
  kind: SandboxObjectKind,
): Exclude<SandboxObjectKind, 'transaction'> | 'payment' {
  return kind === 'transaction' ? 'payment' : kind
}

/** Fields that decide where an object belongs can't change. */
const FIXED = new Set(['id', 'accountId', 'programId', 'live'])

export function createObjectDesk(deps: ObjectDeskDeps) {
  const { objects, triggers } = deps

  function show(
    kind: SandboxObjectKind,
    data: object,
    { environment, mode }: SandboxAccount,
  ): SandboxObject {
    const resource: Record<string, unknown> =
      'transaction' in data && kind === 'transaction'
        ? { ...(data.transaction as object) }
        : { ...data }
    return {
      kind,
      id: String(resource['id']),
      environment,
      mode,
      title: titleOf(kind, resource),
      data: resource,
    }
  }

  function find(id: string, account: SandboxAccount): { kind: SandboxObjectKind; data: object } {
    for (const kind of kinds) {
      const data = objects.find(recordKind(kind), id, account.mode)
      if (data !== undefined) return { kind, data }
    }
    throw new AppError(
      'NOT_FOUND',
      `Object ${id} not found in ${account.environment}. List objects with \`countersign sandbox list\`.`,
    )
  }

  async function changed(
    id: string,
    account: SandboxAccount,
    deliveries: readonly Notification[],
  ): Promise<SandboxChange> {
    const { kind, data } = find(id, account)
    return { object: show(kind, data, account), deliveries: [...deliveries] }
  }

  async function put(kind: RecordKind, mode: Mode, data: unknown): Promise<string> {
    const parsed: z.ZodSafeParseResult<{ id: string }> = recordSchemas[kind].safeParse(data)
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      throw new AppError(
        'INVALID_INPUT',
        `\`${issue?.path.join('.') ?? ''}\` must be ${issue?.message ?? 'right'}.`,
      )
    }
    // Parsed by the schema of exactly this kind.
    await objects.put(kind, mode, parsed.data as never)
    return parsed.data.id
  }

  return {
    /** For one environment or both, one kind or all, oldest first. */
    list: ({
      environment,
      kind,
    }: {
      environment?: string | undefined
      kind?: SandboxObjectKind | undefined
    } = {}): SandboxObject[] =>
      (environment === undefined
        ? deps.accounts
        : [sandboxAccount(deps.accounts, environment)]
      ).flatMap((account) =>
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
      seed,
      environment,
      ...input
    }: CreateObjectInput): Promise<SandboxChange> {
      const set = { ...input.set, ...literalValues(literals) }
      const account = sandboxAccount(deps.accounts, environment)
      const { mode } = account
      const making: Making = {
        seed: seed ?? Buffer.from(deps.randomBytes(6)).readUIntBE(0, 6),
        mode,
        now: deps.clock.now(),
      }
      if (kind === 'transaction') {
        throw new AppError(
          'INVALID_INPUT',
          'Transactions are created by their event: `countersign trigger transaction.auth`.',
        )
      }
      if (programId !== undefined && objects.find('program', programId, mode) === undefined) {
        throw new AppError('NOT_FOUND', `Program ${programId} not found in ${account.environment}.`)
      }
      const about = {
        environment: account.environment,
        programId,
        set,
        literals,
        seed: Number(making.seed),
      }
      const caused = async (event: string, object: string) => {
        const { objects: made, deliveries } = await triggers.cause({ ...about, event })
        return changed(made[object] ?? '', account, deliveries)
      }
      if (kind === 'card') return caused('card.linked', 'card')
      if (kind === 'brand' && mode === 'test') return caused('brand.consent', 'brand')
      if (kind === 'location' && mode === 'test') return caused('location.status', 'location')
      const program =
        kind === 'program' ? null : await ensureProgram(objects, mode, making.now, programId)
      const made = await makeQuietly(kind, making, program?.id ?? '', set)
      return changed(
        made,
        account,
        kind === 'location' ? await reportSyncs(made, account, set) : [],
      )
    },

    /** Sets and removes fields by path. Rejects with `NOT_FOUND`, or with `INVALID_INPUT` if the spec doesn't allow it. */
    async update({
      environment,
      id,
      literals,
      unset = [],
      ...input
    }: UpdateObjectInput): Promise<SandboxChange> {
      const set = { ...input.set, ...literalValues(literals) }
      const account = sandboxAccount(deps.accounts, environment)
      const { kind, data } = find(id, account)
      const fixed = [...Object.keys(set), ...unset].find((path) => FIXED.has(path))
      if (fixed !== undefined)
        throw new AppError(
          'INVALID_INPUT',
          `\`${fixed}\` identifies the object and can't be changed.`,
        )
      const change = (fields: object) => withoutPaths(setPaths(fields, set), unset)
      const edited: Record<string, unknown> =
        kind === 'transaction' && 'transaction' in data
          ? { ...data, transaction: change(data.transaction as object) }
          : {
              ...change({
                ...data,
                ...('updated' in data ? { updated: new Date(deps.clock.now()).toISOString() } : {}),
              }),
            }
      await put(recordKind(kind), account.mode, edited)
      const cause = async (event: string, of: string, typed?: Literals) => {
        const { deliveries } = await triggers.cause({
          event,
          environment: account.environment,
          of,
          literals: typed,
        })
        return changed(id, account, deliveries)
      }
      // In live mode the event is sent when the brand's user approves (section 6.2).
      const approved =
        kind === 'brand' &&
        'consent' in data &&
        data.consent === false &&
        edited['consent'] === true
      if (approved) return cause('brand.consent', id, literals)
      if (kind !== 'location' || account.mode === 'test') return changed(id, account, [])
      const reports = await reportSyncs(id, account, set)
      // A report already announces the program's change.
      return reports.length === 0
        ? cause('program.status', String(edited['programId']))
        : changed(id, account, reports)
    },
  }

  /**
   * In live mode, setting a scheme's status to active or inactive ends its sync, and the card network reports it (section 6.2). The
   * report turns auths and clearings on or off, unless they are set too.
   */
  async function reportSyncs(
    id: string,
    account: SandboxAccount,
    set: Readonly<Record<string, unknown>>,
  ): Promise<Notification[]> {
    const reports: Notification[] = []
    for (const scheme of schemes) {
      const status = reportFor(setFieldOf(set, scheme, 'status'))
      if (status === null) continue
      const chosen = ['auth', 'clearing'].flatMap((field) => {
        const value = setFieldOf(set, scheme, field)
        return value === undefined ? [] : [[`location.${scheme}.${field}`, value]]
      })
      const report = { scheme, status, ...Object.fromEntries(chosen) }
      const { environment } = account
      const { deliveries } = await triggers.cause({
        event: 'location.status',
        environment,
        of: id,
        set: report,
      })
      reports.push(...deliveries)
    }
    return reports
  }

  /** Fields without an event: in live mode a brand hasn't consented yet and a location isn't active with any scheme. */
  async function makeQuietly(
    kind: 'program' | 'brand' | 'location' | 'offer',
    making: Making,
    programId: string,
    set: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const { mode } = making
    switch (kind) {
      case 'program': {
        const world = makeWorld(making)
        for (const brand of world.brands) await objects.put('brand', mode, brand)
        for (const location of world.locations) await objects.put('location', mode, location)
        for (const card of world.cards) await objects.put('card', mode, card)
        for (const offer of world.offers) await objects.put('offer', mode, offer)
        return put('program', mode, setPaths(world.program, set))
      }
      case 'brand':
        return put(
          'brand',
          mode,
          setPaths({ ...makeBrand(making, 'new brand'), consent: false }, set),
        )
      case 'offer':
        return put('offer', mode, setPaths(makeOffer(making, 'new offer', programId), set))
      case 'location': {
        const known = objects
          .all('location', mode)
          .find((location) => location.programId === programId)
        const brand =
          objects.find('brand', known?.brandId ?? '', mode) ?? makeBrand(making, 'new brand')
        await objects.put('brand', mode, brand)
        const made = makeLocation(making, 'new location', brand, programId)
        const estimatedActivationDate = new Date(making.now + 3 * 86_400_000).toISOString()
        const waiting = {
          status: 'inactive',
          auth: false,
          clearing: false,
          estimatedActivationDate,
        }
        const inactive = {
          visa: { ...made.visa, ...waiting },
          mastercard: { ...made.mastercard, ...waiting },
          amex: { ...made.amex, ...waiting },
        }
        return put('location', mode, setPaths({ ...made, ...inactive }, set))
      }
    }
  }
}

/** The result of `set` for one field of an object, whether it names the field or the whole object. */
function setFieldOf(
  set: Readonly<Record<string, unknown>>,
  object: string,
  field: string,
): unknown {
  const whole = set[object]
  return (
    set[`${object}.${field}`] ??
    (typeof whole === 'object' && whole !== null ? Reflect.get(whole, field) : undefined)
  )
}

/** The event's status for a scheme's status: one means success, one means failure, others report nothing. */
function reportFor(status: unknown): 'location.active' | 'location.failed' | null {
  return status === 'active' ? 'location.active' : status === 'inactive' ? 'location.failed' : null
}

/** One line that distinguishes an object of the sandbox from others of its kind. */
function titleOf(kind: SandboxObjectKind, data: Readonly<Record<string, unknown>>): string {
  const text = (name: string) =>
    typeof data[name] === 'string' || typeof data[name] === 'number' ? String(data[name]) : ''
  switch (kind) {
    case 'program':
    case 'brand':
    case 'offer':
      return text('name')
    case 'location':
      return `${text('address')}, ${text('city')}`
    case 'card':
      return `${text('scheme')} ${text('firstNumbers')}…${text('lastNumbers')}`
    case 'transaction':
      return `${text('amount')} ${text('currency')}${data['cleared'] === true ? ', cleared' : ''}`
  }
}
