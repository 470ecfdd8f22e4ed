/** Registers hooks under every rule of sections 2.1, 4.2, 4.3 and 8, or as imported. */
import type { Mode } from '../../shared/model/delivery.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import { hookFinding, originOf, type HookFinding } from '../../shared/service/hook-finding.ts'
import { checkHook, checkUpdateFields, type HookDraft } from '../../shared/service/hook-rules.ts'
import { createMutex } from '../base/async.ts'
import { findCertificateProblem, trustedAuthorities } from '../outgoing/send.ts'
import { ApiError } from './api-errors.ts'
import type { Notifications } from './notifications.ts'
import type { HookRecord } from './records.ts'
import { type SandboxService, trustCommand, type SandboxAccount } from './service.ts'
import { iso, ACCOUNT_ID } from './world.ts'
import { ensureProgram, ensureOffer } from './programs.ts'
import { createRandom } from './random.ts'

/** Imported hook, with the secret that signs its deliveries. */
interface HookRegistration
  extends
    Pick<HookRecord, 'id' | 'event' | 'url'>,
    Partial<Pick<HookRecord, 'programId' | 'offerId' | 'headers'>> {
  readonly mode: Mode
  readonly secret: string
}

const SECRET_BYTES = 32

/** Fields of a request, unchecked. */
export type Fields = Readonly<Record<string, unknown>>

export class HookRegistry {
  readonly #service: SandboxService
  readonly #notifications: Notifications
  // Concurrent requests must not both create the tenth hook.
  readonly #exclusive = createMutex()

  constructor(service: SandboxService, notifications: Notifications) {
    this.#service = service
    this.#notifications = notifications
  }

  list(account: SandboxAccount, programId: string | null): readonly HookRecord[] {
    if (programId !== null) this.#requireProgram(programId, account)
    return this.#service.records
      .all('hook', account.mode)
      .filter((hook) => hook.programId === programId)
  }

  /**
   * Creates a program hook, or a brand hook if `programId` is null; only this response has the
   * secret.
   */
  create(account: SandboxAccount, programId: string | null, fields: Fields) {
    return this.#exclusive(() => this.#create(account, programId, fields))
  }

  update(account: SandboxAccount, id: string, fields: Fields) {
    return this.#exclusive(() => this.#update(account, id, fields))
  }

  remove(account: SandboxAccount, id: string) {
    return this.#exclusive(async () => this.drop(this.#find(id, account).id))
  }

  /** Adds a hook with its secret, replacing one with the same id. */
  readonly register = async (hook: HookRegistration) => {
    const { records, clock } = this.#service
    const { mode, programId = null, offerId = null } = hook
    if (programId !== null) await ensureProgram(records, mode, clock.now(), programId)
    if (offerId !== null) await ensureOffer(records, mode, clock.now(), offerId, programId)
    await this.#add(hook)
  }

  /** Removes a hook and cancels its pending deliveries. */
  readonly drop = async (id: string): Promise<void> => {
    await this.#service.records.remove('hook', id)
    await this.#notifications.stopHook(id)
  }

  #check(
    draft: HookDraft,
    mode: Mode,
    ownId: string | null,
    otherFindings: readonly HookFinding[] = [],
  ): void {
    const siblings = this.#service.records.all('hook', mode).filter(({ id }) => id !== ownId)
    const findings = [
      ...otherFindings,
      ...checkHook(draft, { prefix: this.#service.prefixOf(mode), siblings }),
    ]
    if (findings.length > 0) throw invalidHook(findings)
  }

  /** Throws `invalid-hook` for a URL without a valid certificate (section 2.1). */
  async #checkCertificate(url: unknown, mode: Mode): Promise<void> {
    const trusted = this.#service.extraCaOf?.(mode) ?? this.#service.tls.caPem
    const authorities = trustedAuthorities([this.#service.tls.caPem, trusted])
    const problem = await findCertificateProblem(String(url), authorities)
    if (problem === null) return
    const message = `${problem} Use a valid certificate, or trust its CA certificate ("${trustCommand(mode)}").`
    throw invalidHook([hookFinding('url-certificate', message)])
  }

  #requireProgram(id: string, { mode, environment }: SandboxAccount): void {
    const { records } = this.#service
    if (records.find('program', id, mode) !== undefined) return
    const [first] = records.all('program', mode)
    const hint = first === undefined ? '' : ` Programs here: ${first.id}, ${first.name}.`
    throw new ApiError('not-found', `Program ${id} not found in ${environment}.${hint}`)
  }

  #find(id: string, { mode, environment }: SandboxAccount): HookRecord {
    const hook = this.#service.records.find('hook', id, mode)
    if (hook !== undefined) return hook
    throw new ApiError('not-found', `Hook ${id} not found in ${environment}.`)
  }

  async #add(hook: HookRegistration): Promise<HookRecord> {
    const { records } = this.#service
    const { id, event, url, programId = null, offerId = null, headers = {}, mode, secret } = hook
    const updated = iso(this.#service.clock.now())
    const record: HookRecord = {
      id,
      accountId: ACCOUNT_ID,
      event,
      url,
      programId,
      offerId,
      headers,
      live: mode === 'live',
      created: records.find('hook', id, mode)?.created ?? updated,
      updated,
    }
    await records.put('hook', mode, record, secret)
    return record
  }

  async #create(
    account: SandboxAccount,
    programId: string | null,
    fields: Fields,
  ): Promise<HookRecord & { secretKey: string }> {
    const { records } = this.#service
    const { mode } = account
    if (programId !== null) this.#requireProgram(programId, account)
    const { event, url, offerId = null, headers = {} } = fields
    const kind = programId === null ? 'brand' : 'program'
    this.#check({ kind, event, url, programId, offerId, headers }, mode, null)
    await this.#checkCertificate(url, mode)
    const offer = typeof offerId === 'string' ? offerId : null
    const isOfProgram =
      offer === null ||
      (programId !== null && records.find('offer', offer, mode)?.programId === programId)
    if (!isOfProgram)
      throw new ApiError(
        'not-found',
        `Offer ${offer} not found in this program of ${account.environment}.`,
      )
    const record = await this.#add({
      id: createRandom(Buffer.from(this.#service.randomBytes(16)).toString('hex')).uuid(),
      event: String(event),
      url: String(url),
      programId,
      offerId: offer,
      headers: headerTexts(headers),
      mode,
      secret: Buffer.from(this.#service.randomBytes(SECRET_BYTES)).toString('base64url'),
    })
    return { ...record, secretKey: records.secretOf(record.id) ?? '' }
  }

  async #update(account: SandboxAccount, id: string, fields: Fields): Promise<HookRecord> {
    const hook = this.#find(id, account)
    const { event = hook.event, url = hook.url, headers = hook.headers } = fields
    const kind = hookKindOf(hook.event)
    // A brand hook has no program, even if the request has one.
    const programId = kind === 'program' ? (fields['programId'] ?? hook.programId) : null
    const draft = { kind, event, url, programId, offerId: hook.offerId, headers }
    this.#check(draft, account.mode, id, checkUpdateFields(fields, hook.offerId))
    if (typeof programId === 'string') this.#requireProgram(programId, account)
    if (url !== hook.url) await this.#checkCertificate(url, account.mode)
    const record: HookRecord = {
      ...hook,
      event: String(event),
      url: String(url),
      programId: typeof programId === 'string' ? programId : null,
      headers: headerTexts(headers),
      updated: iso(this.#service.clock.now()),
    }
    await this.#service.records.put('hook', account.mode, record)
    return record
  }
}

function invalidHook(findings: readonly HookFinding[]): ApiError {
  const rules = findings.map(
    (finding) => `${finding.message} (rule ${finding.rule}, ${originOf(finding)})`,
  )
  return new ApiError('invalid-hook', rules.join(' '), findings)
}

function headerTexts(headers: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]),
  )
}
