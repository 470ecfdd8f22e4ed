/** What a replay sends: its deliveries, each request before it is sent, and the record of it afterwards. */
import { createHash } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { editedParts } from '../../shared/model/replay-edits.ts'
import type { ReplaySettings, SentRequest } from '../../shared/model/send.ts'
import type { Clock } from '../base/deps.ts'
import {
  checkSignedUrl,
  checkTargetCa,
  readTarget,
  confirmCount,
  REPLAYING,
  type Admission,
  type Consent,
  obstacle,
  createHookOf,
  hookToSign,
  signersOf,
  type SigningHooksDeps,
} from '../outgoing/admit.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import { altered } from '../signature/fault.ts'
import type { HookToSend, StoredSend } from '../store/sends.ts'
import type { Store } from '../store/store.ts'
import {
  outgoingRequest,
  headersOnWire,
  checkEdits,
  editedBody,
} from '../outgoing/outgoing-request.ts'
import type { Query } from '../../shared/query/query.ts'

/** What to send, and where. `body` replaces the captured body. */
export type ReplayRequest = Pick<
  ReplaySettings,
  'to' | 'registeredUrl' | 'hookId' | 'handlerId' | 'tamper' | 'edits'
> & {
  readonly body: Uint8Array | null
}

/** A request as on the wire. */
interface RequestPreview {
  readonly target: string
  readonly method: string
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly signedUrl: string | null
}

interface ReplayRequestsDeps extends SigningHooksDeps {
  readonly store: Pick<Store, 'read'>
  readonly liveEnvironments: Admission['liveEnvironments']
  readonly clock: Clock
}

/** Shown in a preview for a signature that only a confirmed send gets. */
const WITHHELD = '(signed when sent)'
/** Maximum body size shown of a sent request. */
const SHOWN_BYTES = 65_536
const WHOLE = Number.MAX_SAFE_INTEGER

/**
 * Describes the edits and any signing hook other than the delivery's own, so that only similar requests are compared. Null if
 * everything is as captured.
 */
export function variantOf(
  { edits, registeredUrl, hookId }: Pick<ReplaySettings, 'edits' | 'registeredUrl' | 'hookId'>,
  body: Uint8Array | null,
): string | null {
  const isOwnHook = registeredUrl === null && hookId === null
  if (isOwnHook && editedParts(edits, body !== null).length === 0) return null
  return createHash('sha256')
    .update(JSON.stringify(edits))
    .update(body ?? '')
    .update(isOwnHook ? '' : JSON.stringify({ registeredUrl, hookId }))
    .digest('hex')
    .slice(0, 32)
}

export function createReplayRequests({
  store,
  hooks,
  environments,
  handlerSigner,
  liveEnvironments,
  clock,
}: ReplayRequestsDeps) {
  function targetsOf(
    deliveries: readonly HookToSend[],
    { to, hookId }: Pick<ReplaySettings, 'to' | 'hookId'>,
  ): Record<string, string> {
    const given = to === null ? null : readTarget(to).href
    const targets = deliveries.map(({ id, hookId: own }): [string, string] => {
      if (given !== null) return [own ?? '', given]
      const hook = hookToSign(hooks, hookId, own)
      if (hook !== null) return [own ?? '', readTarget(hook.url).href]
      throw new AppError(
        'INVALID_INPUT',
        `Delivery ${id} matches no hook, so it has no default target. Add one with --to URL.`,
      )
    })
    return Object.fromEntries(given === null ? targets : [['', given], ...targets])
  }

  async function preview(id: string, { body, ...request }: ReplayRequest): Promise<RequestPreview> {
    const { tamper, edits } = request
    const prefixes = knownPrefixes(environments)
    checkEdits(edits, tamper, prefixes)
    checkSignedUrl(request.registeredUrl)
    const delivery = await store.read('get', id)
    const [target = ''] = Object.values(targetsOf([delivery], request))
    const hook = await createHookOf({ hooks, environments, handlerSigner }, request, null)(delivery)
    const problem = obstacle(delivery, { hook, tamper, edits, prefixes, hasOwnBody: body !== null })
    if (problem !== null) throw new AppError('INVALID_INPUT', problem)
    const given =
      body ?? (await store.read('body', { seq: delivery.seq, offset: 0, length: WHOLE })).bytes
    const sent = editedBody(given, edits)
    const made = outgoingRequest({ headers: delivery.headers, body: sent }, hook, {
      tamper,
      edits,
      prefixes,
      wallTime: clock.now(),
    })
    const method = edits.method ?? delivery.method ?? 'POST'
    const isSigned = made.signature !== null && edits.signature === 'recompute'
    const signers = await signersOf(handlerSigner, request, () => [delivery.hookId])
    const isWithheld = isSigned && liveEnvironments(signers).length > 0
    const headers = headersOnWire(new URL(target), method, made)
    return {
      target,
      method,
      headers: headers.map(([name, value]) => [
        name,
        isWithheld && value === made.signature ? WITHHELD : value,
      ]),
      body: made.body,
      signedUrl: isSigned ? (hook?.url ?? null) : null,
    }
  }

  async function sentOf({
    sent,
    hasOwnBody,
    set,
    jobId,
    deliverySeq,
    tamper,
  }: StoredSend): Promise<SentRequest | null> {
    if (sent === null) return null
    const own = hasOwnBody ? await store.read('replayBody', jobId) : null
    const given =
      own ?? (await store.read('body', { seq: deliverySeq, offset: 0, length: WHOLE })).bytes
    const body = editedBody(given, { set }, { wasSent: true })
    const bytes = tamper === 'body' ? altered(body) : body
    const base64 = Buffer.from(bytes.subarray(0, SHOWN_BYTES)).toString('base64')
    return { ...sent, base64, truncated: bytes.length > SHOWN_BYTES }
  }

  return {
    /**
     * Where deliveries go, by their hook (empty: without one): to the given target, or to the registered URL of the hook. Throws
     * `INVALID_INPUT` if there is none.
     */
    targetsOf,
    /** The request as it would be sent now, without a live secret's fresh signature. Rejects with `INVALID_INPUT` if it can't be sent. */
    preview,
    /** The request that was sent. Its body is rebuilt from the job or delivery. */
    sentOf,
  }
}

// Replays started together for several endpoints, one job each. Consent and objections are settled for all of them before the first
// is sent. Otherwise half would be sent before the user confirms the rest.

interface ReplayPart {
  readonly ids: readonly string[]
  /** Null for each delivery hook's registered URL. */
  readonly to: string | null
  readonly targetCa: string | null
  /** The hook that signs; null for a saved handler's secret, or each delivery's hook. */
  readonly hookId: string | null
  readonly handlerId: string | null
}

interface CheckParts {
  readonly parts: readonly ReplayPart[]
  /** Maximum number of requests in total; null for any. */
  readonly most: number | null
  readonly consent: Consent
}

interface ReplayPartsDeps extends ReplayRequestsDeps {
  readonly store: ReplayRequestsDeps['store'] & Pick<Store, 'search' | 'settled'>
  readonly admit: Admission['admit']
}

/**
 * Returns a function that checks all of them. It rejects like starting one of them would, with `CONFIRMATION_REQUIRED` about all
 * together. Nothing is sent.
 */
export function createReplayParts(
  deps: ReplayPartsDeps,
): (input: CheckParts, signal: AbortSignal) => Promise<void> {
  const { store, admit } = deps
  const requests = createReplayRequests(deps)
  return async ({ parts, most, consent }, signal) => {
    const targets: string[] = []
    const hookIds: (string | null)[] = []
    const secrets: string[] = []
    let count = 0
    for (const { ids, to, targetCa, hookId, handlerId } of parts) {
      checkTargetCa(targetCa)
      const { seqs, hooks } = await selectDeliveries(store, { ids, query: undefined }, signal)
      count += seqs.length
      const signers = await signersOf(deps.handlerSigner, { hookId, handlerId }, () =>
        hooks.map((hook) => hook.hookId),
      )
      hookIds.push(...(signers.hookIds ?? []))
      secrets.push(...(signers.secrets ?? []))
      targets.push(...Object.values(requests.targetsOf(hooks, { to, hookId })))
    }
    confirmCount(count, most)
    const signers = { hookIds, secrets }
    await admit({ targets, targetCa: null, signers, what: REPLAYING }, consent)
  }
}

// Selects the deliveries of a replay, in order, with everything needed to know before sending.

export interface SelectedDeliveries {
  /** The seq of each delivery, in the order to send; there may be a million. */
  readonly seqs: readonly number[]
  /** A delivery of each hook among them. */
  readonly hooks: readonly HookToSend[]
}

/** How many deliveries' hooks are read at once. */
const PAGE = 5_000

/**
 * Deliveries by ID, in the given order (an ID may be `latest` or `latest:EVENT`), or those matching a query, oldest first, as the
 * service sent them. Rejects with `NOT_FOUND` or `INVALID_INPUT`.
 */
export async function selectDeliveries(
  store: Pick<Store, 'read' | 'search' | 'settled'>,
  {
    ids,
    query,
  }: { readonly ids: readonly string[] | undefined; readonly query: Query | undefined },
  signal: AbortSignal,
): Promise<SelectedDeliveries> {
  await store.settled()
  if ((ids === undefined) === (query === undefined))
    throw new AppError('INVALID_INPUT', 'Give either delivery IDs or a query.')
  const hooks = new Map<string | null, HookToSend>()
  const add = (found: HookToSend) => {
    if (!hooks.has(found.hookId)) hooks.set(found.hookId, found)
  }
  let seqs: number[] = []
  for (const id of ids ?? []) {
    const { seq, hookId, ...delivery } = await store.read('get', id)
    seqs.push(seq)
    add({ id: delivery.id, hookId })
  }
  if (query !== undefined) {
    seqs = (await store.search.find(query, { signal })).toReversed()
    for (let from = 0; from < seqs.length; from += PAGE) {
      signal.throwIfAborted()
      const page = seqs.slice(from, from + PAGE)
      for (const found of await store.read('hooksToSend', page)) add(found)
    }
  }
  return { seqs, hooks: [...hooks.values()] }
}
