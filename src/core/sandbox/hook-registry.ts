/** The sandbox's hooks, created, changed and removed through its API under every rule of sections 2.1, 4.2, 4.3 and 8. */
import type { Mode } from '../../shared/model/delivery.ts'
import type { HookKind } from '../../shared/model/hook.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import { checkHook, checkUpdateFields, type WantedHook } from '../../shared/service/hook-rules.ts'
import { originOf, type HookFinding } from '../../shared/service/hook-finding.ts'
import type { Clock } from '../base/deps.ts'
import { createMutex } from '../base/async.ts'
import type { SandboxAccount } from './account.ts'
import { ApiError } from './api-error.ts'
import { ensureOffer, ACCOUNT_ID, iso, type HookRecord, type Objects } from './world.ts'

export interface HookRegistryDeps {
  readonly objects: Objects
  readonly clock: Pick<Clock, 'now'>
  prefixOf(mode: Mode): string
  randomBytes(count: number): Uint8Array
  /** Why the certificate at a URL doesn't verify, in a sentence; null if it does, or if none was shown. */
  findCertificateProblem(url: string, mode: Mode): Promise<string | null>
  /** Called with the id of a removed hook. */
  onRemoved(id: string): Promise<void>
}

/** The requested fields, unchecked. */
export type RequestedHookFields = Readonly<Record<string, unknown>>

export type HookRegistry = ReturnType<typeof createHookRegistry>

const SECRET_BYTES = 32

export function createHookRegistry(deps: HookRegistryDeps) {
  const { objects } = deps

  function check(
    wanted: WantedHook,
    mode: Mode,
    self: string | null,
    others: readonly HookFinding[] = [],
  ): void {
    const siblings = objects.all('hook', mode).filter(({ id }) => id !== self)
    const findings = [...others, ...checkHook(wanted, { prefix: deps.prefixOf(mode), siblings })]
    if (findings.length === 0) return
    throw invalidHook(findings)
  }

  /** The service takes URLs with a valid certificate only (section 2.1). Checked once the other rules hold. */
  async function checkCertificate(url: unknown, mode: Mode): Promise<void> {
    const problem = await deps.findCertificateProblem(String(url), mode)
    if (problem === null) return
    const message = `${problem} Use a valid certificate, or trust its CA certificate ("countersign environments update sandbox-${mode} --ca FILE${mode === 'live' ? ' --live' : ''}").`
    throw invalidHook([{ rule: 'url-certificate', section: '2.1', field: 'url', message }])
  }

  function requireProgram(id: string, { mode, environment }: SandboxAccount): void {
    if (objects.find('program', id, mode) !== undefined) return
    const [first] = objects.all('program', mode)
    const hint = first === undefined ? '' : ` Programs here: ${first.id}, ${first.name}.`
    throw new ApiError('not-found', `Program ${id} not found in ${environment}.${hint}`)
  }

  function find(id: string, { mode, environment }: SandboxAccount): HookRecord {
    const known = objects.find('hook', id, mode)
    if (known !== undefined) return known
    throw new ApiError('not-found', `Hook ${id} not found in ${environment}.`)
  }

  async function create(
    account: SandboxAccount,
    programId: string | null,
    fields: RequestedHookFields,
  ): Promise<HookRecord & { secretKey: string }> {
    const { mode } = account
    if (programId !== null) requireProgram(programId, account)
    const { event, url, offerId = null, headers = {} } = fields
    const kind: HookKind = programId === null ? 'brand' : 'program'
    check({ kind, event, url, programId, offerId, headers }, mode, null)
    await checkCertificate(url, mode)
    const now = deps.clock.now()
    if (
      typeof offerId === 'string' &&
      (await ensureOffer(objects, mode, now, offerId, programId)) === null
    ) {
      throw new ApiError(
        'not-found',
        `Offer ${offerId} not found in this program of ${account.environment}.`,
      )
    }
    const record: HookRecord = {
      id: uuid(deps.randomBytes(16)),
      accountId: ACCOUNT_ID,
      event: String(event),
      url: String(url),
      programId,
      offerId: typeof offerId === 'string' ? offerId : null,
      headers: texts(headers),
      live: mode === 'live',
      created: iso(now),
      updated: iso(now),
    }
    const secretKey = Buffer.from(deps.randomBytes(SECRET_BYTES)).toString('base64url')
    await objects.put('hook', mode, record, secretKey)
    return { ...record, secretKey }
  }

  async function update(
    account: SandboxAccount,
    id: string,
    fields: RequestedHookFields,
  ): Promise<HookRecord> {
    const known = find(id, account)
    const { event = known.event, url = known.url, headers = known.headers } = fields
    const kind = hookKindOf(known.event)
    // A brand hook has no program, even if the request has one.
    const programId = kind === 'program' ? (fields['programId'] ?? known.programId) : null
    const wanted = { kind, event, url, programId, offerId: known.offerId, headers }
    check(wanted, account.mode, id, checkUpdateFields(fields, known.offerId))
    if (typeof programId === 'string') requireProgram(programId, account)
    if (url !== known.url) await checkCertificate(url, account.mode)
    const record: HookRecord = {
      ...known,
      event: String(event),
      url: String(url),
      programId: typeof programId === 'string' ? programId : null,
      headers: texts(headers),
      updated: iso(deps.clock.now()),
    }
    await objects.put('hook', account.mode, record)
    return record
  }

  async function remove(account: SandboxAccount, id: string): Promise<void> {
    find(id, account)
    await objects.remove('hook', id)
    await deps.onRemoved(id)
  }

  // One change at a time, so that two concurrent requests don't both create the tenth hook.
  const exclusive = createMutex()
  const alone =
    <Input extends readonly unknown[], Output>(work: (...input: Input) => Promise<Output>) =>
    (...input: Input): Promise<Output> =>
      exclusive(() => work(...input))
  return {
    /** The records of a program's hooks, or of those without a program; their secrets are only shown at creation. */
    list(account: SandboxAccount, programId: string | null): readonly HookRecord[] {
      if (programId !== null) requireProgram(programId, account)
      return objects.all('hook', account.mode).filter((hook) => hook.programId === programId)
    },
    /** The record with its secret, which is shown only now. `programId` null: a brand hook. */
    create: alone(create),
    update: alone(update),
    remove: alone(remove),
  }
}

function invalidHook(findings: readonly HookFinding[]): ApiError {
  const rules = findings.map(
    (finding) => `${finding.message} (rule ${finding.rule}, ${originOf(finding)})`,
  )
  return new ApiError('invalid-hook', rules.join(' '), findings)
}

/** Validated headers. */
function texts(headers: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]),
  )
}

/** A random version 4 UUID. */
function uuid(bytes: Uint8Array): string {
  const hex = Buffer.from(
    bytes.map((byte, index) =>
      index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte,
    ),
  )
    .toString('hex')
    .match(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/)
  return hex === null ? '' : hex.slice(1).join('-')
}
