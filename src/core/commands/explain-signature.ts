/**
 * Explains the signature of a stored delivery: finds its bytes, the hook and secret to verify
 * against, and the mistake.
 */
import type { KeyObject } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Diagnosis, SignatureReport, SignatureTrial } from '../../shared/model/signature.ts'
import type { SavedHandler } from '../../shared/model/handler.ts'
import { likeliestFirst, type RegisteredHook } from '../hooks/registry.ts'
import type { DiagnosisInput } from '../signature/diagnosis/diagnosis-input.ts'
import { conflictDiagnosis, createReport, judgeComputed } from '../signature/signature-report.ts'
import { secretKey, signDelivery } from '../signature/sign.ts'
import { NO_SIGNATURE, type SignatureHeaders } from '../signature/signature-headers.ts'
import { isSignedBy } from '../signature/verify.ts'
import type { Services, SignatureServices } from './services.ts'
import type { DiagnosisAttempt } from '../sharing/resign.ts'
import { gatherSignerContext } from './signer-context.ts'

const MAX_TRIED_HOOKS = 8

type Signal = Pick<AbortSignal, 'aborted'>

/** Delivery with everything its signature covers. */
export interface Evidence {
  readonly delivery: Delivery
  /** Hooks that may have signed it, likeliest first. */
  readonly hooks: readonly RegisteredHook[]
  readonly body: Uint8Array
  readonly timestamp: string | null
  readonly received: string | null
  readonly conflict: SignatureHeaders['conflict']
  readonly inTrailer: SignatureReport['inTrailer']
  readonly unknownPrefix: SignatureReport['unknownPrefix']
}

/** Hook, URL and key that a delivery is verified against. */
interface VerificationTarget {
  readonly hook: RegisteredHook | null
  readonly url: string
  readonly key: KeyObject
  readonly secretHint: string
  readonly isSecretGiven?: boolean
}

/** Verdict, and whether it was computed on this computer. */
type JudgedVerdict = Pick<SignatureReport, 'verdict' | 'verifiedHere'>

async function readEvidence(services: SignatureServices, id: string): Promise<Evidence> {
  const delivery = await services.store.read('get', id)
  const { bytes } = await services.store.read('body', { seq: delivery.seq })
  return evidenceOf(services, delivery, bytes)
}

/** Gathers what the signature of a delivery covers; the delivery need not be stored. */
export async function evidenceOf(
  services: SignatureServices,
  delivery: Delivery,
  body: Uint8Array,
): Promise<Evidence> {
  const { registry, environments } = services
  const path = delivery.path ?? '/'
  const hooks = await hooksFor(services, delivery, body)
  const [hook = null] = hooks
  const isShared = delivery.origin === 'shared'
  const pairs = registry.signatureHeaders(path, delivery.headers, isShared)
  const isProof = ({ signature: received, timestamp }: SignatureHeaders) =>
    hook !== null &&
    services.hooks
      .secretsOf(hook.id)
      .some(({ key }) => isMadeWith({ url: hook.url, key }, { body, received, timestamp }))
  // Usually there is one pair, and nothing to choose.
  const pair = (pairs.length > 1 ? pairs.find(isProof) : undefined) ?? pairs[0] ?? NO_SIGNATURE
  const { signature: received, timestamp, conflict } = pair
  const [late = NO_SIGNATURE] = registry.signatureHeaders(path, delivery.trailers, isShared)
  const prefix = registry.unknownPrefix(delivery.headers)
  const { name: environment, mode } = environments.get(
    (hook ?? registry.hooksAt(path, isShared)[0])?.environment,
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
 * Returns the hooks to verify against: the matched one, else those with the delivery's path,
 * likeliest first. A delivery that is valid by its file was signed for a hook that isn't here.
 */
async function hooksFor(
  { registry }: SignatureServices,
  delivery: Delivery,
  body: Uint8Array,
): Promise<readonly RegisteredHook[]> {
  if (isValidByFile(delivery)) return []
  const { hookId, path, verdict, origin } = delivery
  const here = path === null ? [] : registry.hooksAt(path, origin === 'shared')
  // Only the payload and the mistake tell which hook was meant.
  if (verdict !== 'valid' && here.length > 1) return likeliestFirst(here, body)
  if (hookId === null) return here.slice(0, 1)
  const hook = registry.byId(hookId)
  return hook === undefined ? [] : [hook]
}

function isMadeWith(
  { url, key }: Pick<VerificationTarget, 'url' | 'key'>,
  { body, timestamp, received }: Pick<Evidence, 'body' | 'timestamp' | 'received'>,
): boolean {
  return (
    timestamp !== null && received !== null && isSignedBy({ url, key }, body, timestamp, received)
  )
}

/** Returns the hook's URL with the secret that verifies the delivery, else the current one. */
function targetOf(
  { hooks }: SignatureServices,
  hook: RegisteredHook | null,
  evidence: Evidence,
): VerificationTarget | null {
  if (hook === null) return null
  const secrets = hooks.secretsOf(hook.id)
  const secret =
    secrets.find(({ key }) => isMadeWith({ url: hook.url, key }, evidence)) ?? secrets[0]
  return secret === undefined
    ? null
    : { hook, url: hook.url, key: secret.key, secretHint: secret.hint }
}

/** Digest to explain, and who made it; a user's handlers may sign their own URLs. */
interface ExplainedDigest extends Pick<DiagnosisInput, 'received' | 'signer'> {
  readonly handlers?: readonly SavedHandler[]
}

interface Mistake {
  readonly target: VerificationTarget
  readonly diagnosis: Diagnosis
}

interface MistakeSearch extends Pick<DiagnosisAttempt, 'inputs' | 'depth'> {
  readonly targets: readonly VerificationTarget[]
}

/**
 * Yields what to search for mistakes in. Deleted hooks, with their secrets and URLs, explain only
 * what no active hook does.
 */
async function* searchesFor(
  services: SignatureServices,
  { delivery, body, timestamp }: Evidence,
  targets: readonly VerificationTarget[],
  { received, signer, handlers = [] }: ExplainedDigest,
): AsyncGenerator<MistakeSearch> {
  if (timestamp === null || delivery.truncated) return
  const comparedIds = new Set(targets.length < 2 ? [] : targets.map(({ hook }) => hook?.id))
  const isActive = (id: string) => services.registry.byId(id)?.isActive ?? true
  const active = targets.filter(({ hook }) => hook?.isActive ?? true)
  const searchOf = async (
    compared: readonly VerificationTarget[],
    isPossible: (id: string) => boolean,
    depth: MistakeSearch['depth'],
  ): Promise<MistakeSearch> => {
    const contextOf = await gatherSignerContext(services, delivery, body, {
      handlers,
      isPossible: ({ id }) => !comparedIds.has(id) && isPossible(id),
    })
    const inputs = compared.map(({ hook, url, key, isSecretGiven = false }): DiagnosisInput => ({
      ...{ body, url, timestamp, received, key, isSecretGiven, signer },
      ...contextOf({ hook, url }),
    }))
    return { targets: compared, inputs, depth }
  }
  if (active.length > 0) yield searchOf(active, isActive, 'several')
  if (targets.length > 0 && services.hooks.list().some(({ id }) => !isActive(id)))
    yield searchOf(targets, () => true, active.length === 0 ? 'several' : 'single')
}

/** Finds the mistakes that produce a digest; null if nothing explains it. */
async function findMistake(
  services: SignatureServices,
  evidence: Evidence,
  targets: readonly VerificationTarget[],
  explained: ExplainedDigest,
  signal: Signal,
): Promise<Mistake | null> {
  for await (const search of searchesFor(services, evidence, targets, explained)) {
    const match = await services.diagnosis.diagnose(search.inputs, search.depth, signal)
    const target = match === null ? undefined : search.targets[match.index]
    if (match !== null && target !== undefined) return { target, diagnosis: match.diagnosis }
  }
  return null
}

/** Yields what the diagnosis of a stored delivery's signature reads. */
export async function* diagnosisAttempts(
  services: SignatureServices,
  delivery: Delivery,
  body: Uint8Array,
): AsyncGenerator<DiagnosisAttempt> {
  const evidence = await evidenceOf(services, delivery, body)
  const { received, conflict } = evidence
  if (received === null || conflict !== null) return
  const targets =
    delivery.verdict === 'unknown-hook'
      ? targetsOf(services, latestHooks(services, delivery), evidence)
      : targetsOf(services, evidence.hooks, evidence)
  const explained = { received, signer: 'service' } as const
  for await (const { inputs, depth, targets: tried } of searchesFor(
    services,
    evidence,
    targets,
    explained,
  ))
    yield { inputs, depth, hooks: tried.map(({ hook }) => hook) }
}

/** Returns what each hook verifies against, without hooks whose secret is unknown. */
function targetsOf(
  services: SignatureServices,
  hooks: readonly RegisteredHook[],
  evidence: Evidence,
): VerificationTarget[] {
  return hooks.flatMap((hook) => targetOf(services, hook, evidence) ?? [])
}

/** Returns the latest hooks, active ones first. */
function latestHooks(
  { hooks, registry }: SignatureServices,
  { origin }: Delivery,
): readonly RegisteredHook[] {
  return hooks
    .list()
    .flatMap(({ id }) => registry.byId(id) ?? [])
    .filter(({ isShared }) => isShared === (origin === 'shared'))
    .toSorted((a, b) => Number(a.isActive) - Number(b.isActive))
    .slice(-MAX_TRIED_HOOKS)
    .toReversed()
}

/** Diagnoses a delivery that no hook matched with the latest hooks, active ones first. */
async function findMistakeByAnyHook(
  services: SignatureServices,
  evidence: Evidence,
  digest: string,
  signal: Signal,
): Promise<Diagnosis | null> {
  const hooks = latestHooks(services, evidence.delivery)
  const mistake = await findMistake(
    services,
    evidence,
    targetsOf(services, hooks, evidence),
    { received: digest, signer: 'service' },
    signal,
  )
  if (mistake === null) return null
  const { target, diagnosis } = mistake
  const { event = '', isActive = true } = target.hook ?? {}
  const what = `the ${isActive ? '' : 'deleted '}${event} hook at ${target.url}`
  return { ...diagnosis, message: `Compared with ${what}: ${diagnosis.message}` }
}

function reportOf(
  { delivery, hooks, body, timestamp, received, inTrailer, unknownPrefix }: Evidence,
  target: VerificationTarget | null,
  { verdict, verifiedHere }: JudgedVerdict,
  diagnosis: Diagnosis | null,
): SignatureReport {
  return createReport({
    verdict,
    verifiedHere,
    freshness: delivery.freshness,
    body,
    isWhole: !delivery.truncated,
    timestamp,
    received,
    inTrailer,
    unknownPrefix,
    hookInferred: verdict === 'invalid' && hooks.length > 1,
    receivedAt: Date.parse(delivery.receivedAt),
    hook: target && {
      ...target,
      id: target.hook?.id ?? null,
      event: target.hook?.event ?? null,
      isDeleted: target.hook?.isActive === false,
    },
    diagnosis,
  })
}

/** Reports on a delivery, with the mistake if its signature is invalid, and the target used. */
async function explainVerdict(
  services: SignatureServices,
  evidence: Evidence,
  targets: readonly VerificationTarget[],
  judged: JudgedVerdict,
  signal: Signal,
) {
  const { received, conflict } = evidence
  if (judged.verdict === 'invalid' && conflict !== null) {
    const [target = null] = targets
    return { target, report: reportOf(evidence, target, judged, conflictDiagnosis(conflict)) }
  }
  const mistake =
    judged.verdict === 'invalid' && received !== null
      ? await findMistake(services, evidence, targets, { received, signer: 'service' }, signal)
      : null
  const target = mistake?.target ?? targets[0] ?? null
  return { target, report: reportOf(evidence, target, judged, mistake?.diagnosis ?? null) }
}

/** Reports on a stored delivery with its verdict at receipt. */
export async function explainSignature(
  services: SignatureServices,
  id: string,
  signal: Signal,
): Promise<SignatureReport> {
  const evidence = await readEvidence(services, id)
  const { delivery, hooks, received } = evidence
  const targets = targetsOf(services, hooks, evidence)
  if (received === null || delivery.verdict !== 'unknown-hook')
    return (await explainVerdict(services, evidence, targets, delivery, signal)).report
  const diagnosis = await findMistakeByAnyHook(services, evidence, received, signal)
  return reportOf(evidence, targets[0] ?? null, delivery, diagnosis)
}

/** Returns a URL of the addressed host, for use if no hook gives the registered URL. */
function assumedUrl({ headers, path }: Delivery): string | null {
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1]
  return host === undefined || path === null ? null : `https://${host}${path}`
}

/** Returns the hook's secret and URL, replaced by the given ones. */
function triedTargets(
  services: SignatureServices,
  evidence: Evidence,
  { secret, url }: { readonly secret?: string | undefined; readonly url?: string | undefined },
): VerificationTarget[] {
  const stored = targetOf(services, evidence.hooks[0] ?? null, evidence)
  const triedUrl = url ?? stored?.url ?? assumedUrl(evidence.delivery)
  const key = secret === undefined ? stored?.key : secretKey(secret)
  if (triedUrl === null || key === undefined) return []
  const secretHint = secret === undefined ? (stored?.secretHint ?? '…') : '…'
  const isSecretGiven = secret !== undefined
  return [{ hook: stored?.hook ?? null, url: triedUrl, key, secretHint, isSecretGiven }]
}

/** Verifies a stored delivery against current hooks or a given secret and URL; stores nothing. */
export async function tryDelivery(
  services: SignatureServices & Pick<Services, 'savedHandlers'>,
  { id, ...tried }: ParsedInputOf<'deliveries.diagnose'>,
  signal: Signal,
): Promise<SignatureTrial> {
  return tryEvidence(services, await readEvidence(services, id), tried, signal)
}

export async function tryEvidence(
  services: SignatureServices & Pick<Services, 'savedHandlers'>,
  read: Evidence,
  { secret, url, computed }: Omit<ParsedInputOf<'deliveries.diagnose'>, 'id'>,
  signal: Signal,
): Promise<SignatureTrial> {
  const { delivery, body } = read
  const isTried = secret !== undefined || url !== undefined
  if (isTried && delivery.truncated) throw cannotCompute(read)
  const judged = isTried ? null : await judgeAgain(services, read)
  const hookNow = judged?.hook ?? null
  // The hook's own pair of headers, if there are several.
  const evidence = hookNow === null ? read : { ...read, ...judged?.pair }
  const { timestamp, received } = evidence
  const ownHooks = hookNow === null ? evidence.hooks : [hookNow]
  const targets = isTried
    ? triedTargets(services, evidence, { secret, url })
    : targetsOf(services, ownHooks, evidence)
  const verdict = judged ?? verdictOf(evidence, targets[0] ?? null)
  const { target, report } = await explainVerdict(services, evidence, targets, verdict, signal)
  if (computed === undefined) return { report, computed: null }

  if (target === null || timestamp === null || delivery.truncated) throw cannotCompute(evidence)
  const { signature: expected } = signDelivery({ ...target, body, timestamp })
  const mistake =
    computed === expected
      ? null
      : await findMistake(
          services,
          evidence,
          [target],
          { received: computed, signer: 'user', handlers: services.savedHandlers.list() },
          signal,
        )
  const diagnosis = mistake?.diagnosis ?? null
  return { report, computed: judgeComputed({ computed, expected, received, diagnosis }) }
}

function verdictOf(evidence: Evidence, target: VerificationTarget | null): JudgedVerdict {
  const { delivery, timestamp, received, conflict } = evidence
  if (timestamp === null || received === null) return { verdict: 'unsigned', verifiedHere: true }
  // The whole body passed through at receipt, so a partial one keeps its verdict.
  if (target === null || delivery.truncated) return delivery
  return {
    verdict: conflict === null && isMadeWith(target, evidence) ? 'valid' : 'invalid',
    verifiedHere: true,
  }
}

/**
 * Tries all current hooks, as at receipt; null if that can't be repeated. `pair` has the headers
 * that were verified.
 */
async function judgeAgain({ registry }: SignatureServices, { delivery, body }: Evidence) {
  if (delivery.truncated || delivery.malformed !== null) return null
  const judged = await registry.judge(
    delivery.path ?? '/',
    delivery.headers,
    body,
    Date.parse(delivery.receivedAt),
    delivery.origin === 'shared',
  )
  const { verdict, hook, signature: received, timestamp } = judged
  const pair = { received, timestamp }
  // No hook here has the secret that once proved it valid, so that verdict stands.
  const isSecretMissing =
    verdict === 'unknown-hook'
      ? delivery.verdict === 'valid'
      : verdict === 'invalid' && isValidByFile(delivery)
  return isSecretMissing
    ? { verdict: 'valid' as const, verifiedHere: delivery.verifiedHere, hook: null, pair }
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
