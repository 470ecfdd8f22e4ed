/** Explains the signature of a stored delivery: finds its bytes, the hook and secret to verify against, and the mistake. */
import type { KeyObject } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { contentEncodings } from '../../shared/body/encoding.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Diagnosis, SignatureReport, SignatureTrial } from '../../shared/model/signature.ts'
import { isDeletedHook, type Hook } from '../../shared/model/hook.ts'
import { unlessRefused } from '../base/async.ts'
import type { SavedHandler } from '../../shared/model/handler.ts'
import { likeliestFirst, type RegisteredHook } from '../hooks/registry.ts'
import { decompressed } from '../signature/diagnosis/body-mismatches.ts'
import type {
  DiagnosisInput,
  KnownSecret,
  KnownTimestamp,
  KnownUrl,
} from '../signature/diagnosis/mismatch.ts'
import { conflictDiagnosis, createReport, judgeComputed } from '../signature/report.ts'
import { secretKey, signDelivery } from '../signature/sign.ts'
import { NO_SIGNATURE, type SignatureHeaders } from '../signature/signature-headers.ts'
import { matches } from '../signature/verify.ts'
import type { Services } from './services.ts'

export type SignatureServices = Pick<
  Services,
  'store' | 'registry' | 'hooks' | 'environments' | 'status' | 'diagnosis'
>

/** Maximum number of hooks tried for a delivery that matches none. */
const MOST_HOOKS = 8

type Signal = Pick<AbortSignal, 'aborted'>

/** A delivery with everything its signature covers. */
export interface Evidence {
  readonly delivery: Delivery
  /** The hooks that may have signed it, likeliest first. */
  readonly hooks: readonly RegisteredHook[]
  readonly body: Uint8Array
  readonly timestamp: string | null
  readonly received: string | null
  readonly conflict: SignatureHeaders['conflict']
  readonly inTrailer: SignatureReport['inTrailer']
  readonly unknownPrefix: SignatureReport['unknownPrefix']
}

/** What a delivery is verified against. */
interface Standard {
  readonly hook: RegisteredHook | null
  readonly url: string
  readonly key: KeyObject
  readonly secretHint: string
  /** Whether the caller gave the secret. */
  readonly isSecretGiven?: boolean
}

/** A verdict, and whether it was computed on this computer. */
type Held = Pick<SignatureReport, 'verdict' | 'verifiedHere'>

async function readEvidence(services: SignatureServices, id: string): Promise<Evidence> {
  const delivery = await services.store.read('get', id)
  const { bytes } = await services.store.read('body', { seq: delivery.seq })
  return evidenceOf(services, delivery, bytes)
}

/** What the signature of a delivery covers; the delivery need not be stored. */
export async function evidenceOf(
  services: SignatureServices,
  delivery: Delivery,
  body: Uint8Array,
): Promise<Evidence> {
  const { registry, environments } = services
  const path = delivery.path ?? '/'
  const hooks = await hooksFor(services, delivery, body)
  const [hook = null] = hooks
  const pairs = registry.signatureHeaders(path, delivery.headers)
  const isProof = ({ signature: received, timestamp }: SignatureHeaders) =>
    hook !== null &&
    services.hooks
      .secretsOf(hook.id)
      .some(({ key }) => isMadeWith({ url: hook.url, key }, { body, received, timestamp }))
  // Usually there is one pair, and nothing to choose.
  const found = (pairs.length > 1 ? pairs.find(isProof) : undefined) ?? pairs[0] ?? NO_SIGNATURE
  const { signature: received, timestamp, conflict } = found
  const [late = NO_SIGNATURE] = registry.signatureHeaders(path, delivery.trailers)
  const prefix = registry.unknownPrefix(delivery.headers)
  const { name: environment, mode } = environments.get(
    (hook ?? registry.hooksAt(path)[0])?.environment,
  )
  const unknownPrefix = prefix === null ? null : { prefix, environment, mode }
  const inTrailer = [
    ...(received === null && late.signature !== null ? (['signature'] as const) : []),
    ...(timestamp === null && late.timestamp !== null ? (['timestamp'] as const) : []),
  ]
  return { delivery, hooks, body, timestamp, received, conflict, inTrailer, unknownPrefix }
}

/** Whether only the imported file says that this delivery is valid. */
function isValidByFile({ verdict, verifiedHere }: Delivery): boolean {
  return verdict === 'valid' && !verifiedHere
}

/**
 * The hooks to verify against: the matched one, else those with the delivery's path, likeliest first. If a file claims that the
 * delivery is valid, it was signed for another URL or secret than any here, whatever its path.
 */
async function hooksFor(
  { registry }: SignatureServices,
  delivery: Delivery,
  body: Uint8Array,
): Promise<readonly RegisteredHook[]> {
  if (isValidByFile(delivery)) return []
  const { hookId, path, verdict } = delivery
  const here = path === null ? [] : registry.hooksAt(path)
  // Nothing but the payload and the mistake says which of them was meant.
  if (verdict !== 'valid' && here.length > 1) return likeliestFirst(here, body)
  if (hookId === null) return here.slice(0, 1)
  const hook = registry.byId(hookId)
  return hook === undefined ? [] : [hook]
}

function isMadeWith(
  { url, key }: Pick<Standard, 'url' | 'key'>,
  { body, timestamp, received }: Pick<Evidence, 'body' | 'timestamp' | 'received'>,
): boolean {
  return (
    timestamp !== null &&
    received !== null &&
    matches({ hookId: '', url, key }, body, timestamp, received)
  )
}

/**
 * The hook's own URL with the secret that verifies the delivery, else the current one: an old delivery may be signed with a
 * previous secret.
 */
function standardOf(
  { hooks }: SignatureServices,
  hook: RegisteredHook | null,
  evidence: Evidence,
): Standard | null {
  if (hook === null) return null
  const secrets = hooks.secretsOf(hook.id)
  const secret =
    secrets.find(({ key }) => isMadeWith({ url: hook.url, key }, evidence)) ?? secrets[0]
  return secret === undefined
    ? null
    : { hook, url: hook.url, key: secret.key, secretHint: secret.hint }
}

/** A digest to explain, and who made it. A handler of yours may sign its own URL. */
interface Question extends Pick<DiagnosisInput, 'received' | 'signer'> {
  readonly handlers?: readonly SavedHandler[]
}

interface Explained {
  readonly standard: Standard
  readonly diagnosis: Diagnosis
}

/**
 * The mistakes that produce a digest for this delivery, compared with one or several hooks; null if nothing explains it or a part is
 * missing. Deleted hooks, and their secrets and URLs, explain only what no active one does.
 */
async function diagnose(
  services: SignatureServices,
  { delivery, body, timestamp }: Evidence,
  standards: readonly Standard[],
  { received, signer, handlers = [] }: Question,
  signal: Signal,
): Promise<Explained | null> {
  if (timestamp === null || delivery.truncated) return null
  const compared = new Set(standards.length < 2 ? [] : standards.map(({ hook }) => hook?.id))
  const isActive = (id: string) => services.registry.byId(id)?.isActive ?? true
  const active = standards.filter(({ hook }) => hook?.isActive ?? true)
  const compare = async (
    some: readonly Standard[],
    isKnown: (id: string) => boolean,
    depth: 'single' | 'several',
  ): Promise<Explained | null> => {
    if (some.length === 0) return null
    const surroundings = await surroundingsOf(services, delivery, body, {
      handlers,
      isKnown: ({ id }) => !compared.has(id) && isKnown(id),
    })
    const inputs = some.map(({ hook, url, key, isSecretGiven = false }): DiagnosisInput => ({
      ...{ body, url, timestamp, received, key, isSecretGiven, signer },
      ...surroundings({ hook, url }),
    }))
    const found = await services.diagnosis.diagnose(inputs, depth, signal)
    const standard = found === null ? undefined : some[found.index]
    return found === null || standard === undefined
      ? null
      : { standard, diagnosis: found.diagnosis }
  }
  const explained = await compare(active, isActive, 'several')
  if (explained !== null || services.hooks.list().every(({ id }) => isActive(id))) return explained
  return compare(standards, () => true, active.length === 0 ? 'several' : 'single')
}

/** What each hook verifies a delivery against, without those whose secret is unknown. */
function standardsOf(
  services: SignatureServices,
  hooks: readonly RegisteredHook[],
  evidence: Evidence,
): Standard[] {
  return hooks.flatMap((hook) => standardOf(services, hook, evidence) ?? [])
}

/** The smallest set of mistakes that produces a digest if no hook matched: the latest hooks are tried, active ones first. */
async function diagnoseByAnyHook(
  services: SignatureServices,
  evidence: Evidence,
  digest: string,
  signal: Signal,
): Promise<Diagnosis | null> {
  const hooks = services.hooks
    .list()
    .flatMap(({ id }) => services.registry.byId(id) ?? [])
    .toSorted((a, b) => Number(a.isActive) - Number(b.isActive))
    .slice(-MOST_HOOKS)
    .toReversed()
  const found = await diagnose(
    services,
    evidence,
    standardsOf(services, hooks, evidence),
    { received: digest, signer: 'service' },
    signal,
  )
  if (found === null) return null
  const { standard, diagnosis } = found
  const { event = '', isActive = true } = standard.hook ?? {}
  const what = `the ${isActive ? '' : 'deleted '}${event} hook at ${standard.url}`
  return { ...diagnosis, message: `Compared with ${what}: ${diagnosis.message}` }
}

function reportOf(
  { delivery, hooks, body, timestamp, received, inTrailer, unknownPrefix }: Evidence,
  standard: Standard | null,
  judged: Held,
  diagnosis: Diagnosis | null,
): SignatureReport {
  return createReport({
    verdict: judged.verdict,
    verifiedHere: judged.verifiedHere,
    freshness: delivery.freshness,
    body,
    isWhole: !delivery.truncated,
    timestamp,
    received,
    inTrailer,
    unknownPrefix,
    hookInferred: judged.verdict === 'invalid' && hooks.length > 1,
    receivedAt: Date.parse(delivery.receivedAt),
    hook: standard && {
      ...standard,
      id: standard.hook?.id ?? null,
      event: standard.hook?.event ?? null,
      isDeleted: standard.hook?.isActive === false,
    },
    diagnosis,
  })
}

/** The report, with the mistake if the signature is invalid, and the standard that it was compared with. */
async function explain(
  services: SignatureServices,
  evidence: Evidence,
  standards: readonly Standard[],
  judged: Held,
  signal: Signal,
) {
  const { received, conflict } = evidence
  if (judged.verdict === 'invalid' && conflict !== null) {
    const [standard = null] = standards
    return { standard, report: reportOf(evidence, standard, judged, conflictDiagnosis(conflict)) }
  }
  const found =
    judged.verdict === 'invalid' && received !== null
      ? await diagnose(services, evidence, standards, { received, signer: 'service' }, signal)
      : null
  const standard = found?.standard ?? standards[0] ?? null
  return { standard, report: reportOf(evidence, standard, judged, found?.diagnosis ?? null) }
}

/** The report of a stored delivery with its verdict at receipt. */
export async function explainSignature(
  services: SignatureServices,
  id: string,
  signal: Signal,
): Promise<SignatureReport> {
  const evidence = await readEvidence(services, id)
  const { delivery, hooks, received } = evidence
  const standards = standardsOf(services, hooks, evidence)
  if (received === null || delivery.verdict !== 'unknown-hook')
    return (await explain(services, evidence, standards, delivery, signal)).report
  const diagnosis = await diagnoseByAnyHook(services, evidence, received, signal)
  return reportOf(evidence, standards[0] ?? null, delivery, diagnosis)
}

/** The host that the sender addressed, used if no hook gives the registered URL. */
function assumedUrl({ headers, path }: Delivery): string | null {
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1]
  return host === undefined || path === null ? null : `https://${host}${path}`
}

/** The hook's secret and URL, replaced by the given ones. */
function triedStandards(
  services: SignatureServices,
  evidence: Evidence,
  { secret, url }: { readonly secret?: string | undefined; readonly url?: string | undefined },
): Standard[] {
  const known = standardOf(services, evidence.hooks[0] ?? null, evidence)
  const triedUrl = url ?? known?.url ?? assumedUrl(evidence.delivery)
  const key = secret === undefined ? known?.key : secretKey(secret)
  if (triedUrl === null || key === undefined) return []
  const secretHint = secret === undefined ? (known?.secretHint ?? '…') : '…'
  const isSecretGiven = secret !== undefined
  return [{ hook: known?.hook ?? null, url: triedUrl, key, secretHint, isSecretGiven }]
}

/** Verifies a delivery against the current hooks, or a given secret and URL. Stores nothing. */
export async function diagnoseDelivery(
  services: SignatureServices & Pick<Services, 'savedHandlers'>,
  { id, ...tried }: ParsedInputOf<'deliveries.diagnose'>,
  signal: Signal,
): Promise<SignatureTrial> {
  return diagnoseEvidence(services, await readEvidence(services, id), tried, signal)
}

/** The same for a delivery that need not be stored. */
export async function diagnoseEvidence(
  services: SignatureServices & Pick<Services, 'savedHandlers'>,
  read: Evidence,
  { secret, url, computed }: Omit<ParsedInputOf<'deliveries.diagnose'>, 'id'>,
  signal: Signal,
): Promise<SignatureTrial> {
  const { delivery, body } = read
  const isTried = secret !== undefined || url !== undefined
  if (isTried && delivery.truncated) throw cannotCompute(read)
  const judged = isTried ? null : await judgeAgain(services, read)
  const evidence = judged?.hook == null ? read : { ...read, ...judged.pair }
  const { timestamp, received } = evidence
  const ownHooks = judged?.hook == null ? evidence.hooks : [judged.hook]
  const standards = isTried
    ? triedStandards(services, evidence, { secret, url })
    : standardsOf(services, ownHooks, evidence)
  const held = judged ?? verdictOf(evidence, standards[0] ?? null)
  const { standard, report } = await explain(services, evidence, standards, held, signal)
  if (computed === undefined) return { report, computed: null }

  if (standard === null || timestamp === null || delivery.truncated) throw cannotCompute(evidence)
  const { signature: expected } = signDelivery({
    body,
    url: standard.url,
    timestamp,
    key: standard.key,
  })
  const explained =
    computed === expected
      ? null
      : await diagnose(
          services,
          evidence,
          [standard],
          { received: computed, signer: 'user', handlers: services.savedHandlers.list() },
          signal,
        )
  return {
    report,
    computed: judgeComputed({
      computed,
      expected,
      received,
      diagnosis: explained?.diagnosis ?? null,
    }),
  }
}

function verdictOf(evidence: Evidence, standard: Standard | null): Held {
  const { delivery, timestamp, received, conflict } = evidence
  if (timestamp === null || received === null) return { verdict: 'unsigned', verifiedHere: true }
  // Nothing can be computed from a partial body, so the verdict at receipt, when all of it passed through, stays.
  if (standard === null || delivery.truncated) return delivery
  return {
    verdict: conflict === null && isMadeWith(standard, evidence) ? 'valid' : 'invalid',
    verifiedHere: true,
  }
}

/** Tries all current hooks, as at receipt; null if that can't be repeated. */
async function judgeAgain(
  { registry }: SignatureServices,
  { delivery, body }: Evidence,
): Promise<
  | (Held & {
      readonly hook: RegisteredHook | null
      /** The headers that were verified. */
      readonly pair: Pick<Evidence, 'received' | 'timestamp'>
    })
  | null
> {
  if (delivery.truncated || delivery.malformed !== null) return null
  const judged = await registry.judge(
    delivery.path ?? '/',
    delivery.headers,
    body,
    Date.parse(delivery.receivedAt),
  )
  const { verdict, hook, signature: received, timestamp } = judged
  const pair = { received, timestamp }
  // Without the hook's secret nothing contradicts the earlier verdict: this host can't decrypt it or never had it.
  const stands =
    verdict === 'unknown-hook'
      ? delivery.verdict === 'valid'
      : verdict === 'invalid' && isValidByFile(delivery)
  return stands
    ? { verdict: 'valid', verifiedHere: delivery.verifiedHere, hook: null, pair }
    : { verdict, verifiedHere: true, hook, pair }
}

function cannotCompute({ delivery, timestamp }: Evidence): AppError {
  const why =
    timestamp === null
      ? "This delivery has no timestamp header, so its signature can't be computed."
      : delivery.truncated
        ? "Only the start of this body was stored, so its signature can't be computed."
        : 'No hook matches this delivery, so the secret is unknown. Enter the secret too.'
  return new AppError('INVALID_INPUT', why)
}

// What the signer of a delivery may have used by mistake: other stored secrets, other URLs, other times.

/** A header value that may be a time: ten or more digits, or a date. */
const LIKE_A_TIME =
  /^\s*(?:\d{10,19}(?:\.\d+)?|\d{4}-\d\d-\d\d[T ].{5,30}|[A-Z][a-z]{2}, \d.{10,30})\s*$/
/**
 * Maximum number of other hooks' URLs to try: few share the path, and trying a thousand hooks would leave no time for other checks.
 */
const MOST_URLS = 40

/**
 * Resolves with what the signer may have used besides a hook to verify against, if any, and the assumed registered URL. `isKnown`:
 * which other hooks the signer may have mistaken for the right one; those that are compared themselves aren't among them.
 */
async function surroundingsOf(
  services: SignatureServices,
  delivery: Delivery,
  body: Uint8Array,
  {
    handlers,
    isKnown,
  }: {
    readonly handlers: readonly SavedHandler[]
    readonly isKnown: (hook: Hook) => boolean
  },
) {
  const others = services.hooks.list().filter(isKnown)
  const keys = await apiKeys(services)
  const local = await localUrls(services, delivery)
  const otherTimestamps = otherTimes(delivery)
  const otherBodies = await decompressed(body, contentEncodings(delivery.headers))
  return ({ hook, url }: Pick<Standard, 'hook' | 'url'>) => ({
    otherSecrets: [...hookSecrets(services, hook, others), ...keys],
    otherUrls: [
      ...storedUrl(hook, url),
      ...local,
      ...handlerUrls(delivery, handlers),
      ...hookUrls(hook, others),
    ],
    otherTimestamps,
    otherBodies,
  })
}

function hookSecrets(
  { hooks }: SignatureServices,
  hook: RegisteredHook | null,
  others: readonly Hook[],
): KnownSecret[] {
  const own = (hook === null ? [] : hooks.secretsOf(hook.id)).map(
    ({ key }, place): KnownSecret => ({
      kind: place === 0 ? 'stored' : 'previous',
      owner: 'this hook',
      key,
    }),
  )
  const ofOthers = others.flatMap((other): KnownSecret[] => {
    if (other.id === hook?.id) return []
    const isDeleted = isDeletedHook(other)
    const kind = isDeleted
      ? 'deleted-hook'
      : hook === null || other.environment === hook.environment
        ? 'other-hook'
        : 'other-environment'
    return hooks.secretsOf(other.id).map(({ key }) => ({
      kind,
      owner: `the ${isDeleted ? 'deleted ' : ''}${other.event} hook at ${other.url}`,
      key,
    }))
  })
  return [...own, ...ofOthers]
}

/** The hook's own URL, if another one is tried in its place. */
function storedUrl(hook: RegisteredHook | null, url: string): KnownUrl[] {
  return hook === null || hook.url === url ? [] : [{ kind: 'stored', url: hook.url }]
}

async function apiKeys({ environments }: SignatureServices): Promise<KnownSecret[]> {
  const found: KnownSecret[] = []
  for (const environment of environments.all()) {
    // A key that this host can't decrypt can't be tried.
    const key = await unlessRefused(environments.openKey(environment))
    const what = environment.auth === 'bearer' ? 'client secret' : 'API key'
    if (key !== null)
      found.push({
        kind: 'api-key',
        owner: `the ${what} of environment ${environment.name}`,
        key: secretKey(key),
      })
  }
  return found
}

/** The URLs under which the sender may know this receiver, if another one is registered. */
async function localUrls({ status }: SignatureServices, delivery: Delivery): Promise<KnownUrl[]> {
  const { receiver } = await status()
  const path = delivery.path ?? '/'
  const hosts = delivery.headers
    .filter(([name]) => ['host', 'x-forwarded-host'].includes(name.toLowerCase()))
    .map(([, host]) => `https://${host}${path}`)
  const own =
    receiver.url === null
      ? []
      : [receiver.url + path, receiver.url.replace('127.0.0.1', 'localhost') + path]
  return [...hosts, ...own].map((url) => ({ kind: 'local', url }))
}

/** URLs of your handlers: saved ones, and the latest targets. */
function handlerUrls(
  { handler, lastReplay }: Delivery,
  handlers: readonly SavedHandler[],
): KnownUrl[] {
  const targets = [handler, lastReplay].flatMap((sent) => (sent === null ? [] : [sent.target]))
  const urls = new Set([...targets, ...handlers.map(({ url }) => url)])
  return [...urls]
    .slice(0, MOST_URLS)
    .flatMap((url) => [
      url,
      url.replace('//127.0.0.1', '//localhost'),
      url.replace('//localhost', '//127.0.0.1'),
    ])
    .map((url) => ({ kind: 'handler', url }))
}

function hookUrls(hook: RegisteredHook | null, others: readonly Hook[]): KnownUrl[] {
  const urls = new Set(others.map(({ url }) => url))
  if (hook !== null) urls.delete(hook.url)
  return [...urls].slice(-MOST_URLS).map((url) => ({ kind: 'other-hook', url }))
}

function otherTimes({ headers, receivedAt }: Delivery): KnownTimestamp[] {
  const inHeaders = headers
    .filter(([, value]) => LIKE_A_TIME.test(value))
    .map(([name, value]): KnownTimestamp => {
      const isDate = name.toLowerCase() === 'date'
      return {
        kind: isDate ? 'date-header' : 'other-header',
        text: value,
        where: `the ${name.toLowerCase()} header`,
      }
    })
  return [...inHeaders, { kind: 'receipt', text: receivedAt, where: 'the receipt time' }]
}
