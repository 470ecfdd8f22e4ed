/** What a replay sends: its deliveries, each request before it is sent, and the record of it afterwards. */
import { createHash } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { editedParts } from '../../shared/model/replay-edits.ts'
import type { ReplaySettings, SentRequest } from '../../shared/model/send.ts'
import type { Clock } from '../base/deps.ts'
import {
  checkSignedUrl,
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
import type { StoredSend } from '../store/sends-repo.ts'
import type { Store } from '../store/store.ts'
import type { KindToSend, PackedKind } from '../store/waiting-sends.ts'
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
    kinds: readonly Pick<KindToSend, 'id' | 'hookId'>[],
    { to, hookId }: Pick<ReplaySettings, 'to' | 'hookId'>,
  ): string[] {
    const given = to === null ? null : readTarget(to).href
    return kinds.map((kind) => {
      if (given !== null) return given
      const hook = hookToSign(hooks, hookId, kind.hookId)
      if (hook !== null) return readTarget(hook.url).href
      throw new AppError(
        'INVALID_INPUT',
        `Delivery ${kind.id} matches no hook, so it has no default target. Add one with --to URL.`,
      )
    })
  }

  async function preview(id: string, { body, ...request }: ReplayRequest): Promise<RequestPreview> {
    const { tamper, edits } = request
    const prefixes = knownPrefixes(environments)
    checkEdits(edits, tamper, prefixes)
    checkSignedUrl(request.registeredUrl)
    const delivery = await store.read('get', id)
    const [target = ''] = targetsOf([delivery], request)
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
     * The target of each kind of delivery: the given target, or the registered URL of its hook. Throws `INVALID_INPUT` if there is
     * none.
     */
    targetsOf /** The request as it would be sent now, without a live secret's fresh signature. Rejects with `INVALID_INPUT` if it can't be sent. */,
    preview /** The request that was sent. Its body is rebuilt from the job or delivery. */,
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
    const targets = new Set<string>()
    const hookIds = new Set<string | null>()
    const secrets = new Set<string>()
    let count = 0
    for (const { ids, to, targetCa, hookId, handlerId } of parts) {
      await admit({ targets: [], targetCa, signers: {}, what: REPLAYING }, consent)
      const { seqs, kinds } = await selectDeliveries(store, { ids, query: undefined }, signal)
      count += seqs.length
      const signers = await signersOf(deps.handlerSigner, { hookId, handlerId }, () =>
        kinds.map((kind) => kind.hookId),
      )
      for (const signing of signers.hookIds ?? []) hookIds.add(signing)
      for (const secret of signers.secrets ?? []) secrets.add(secret)
      for (const target of requests.targetsOf(kinds, { to, hookId })) targets.add(target)
    }
    confirmCount(count, most)
    await admit(
      {
        targets: [...targets],
        targetCa: null,
        signers: { hookIds: [...hookIds], secrets: [...secrets] },
        what: REPLAYING,
      },
      consent,
    )
  }
}

// Selects the deliveries of a replay, in order, with everything needed to know before sending.

/** Deliveries in the order to send; there may be a million, of a few kinds. */
export interface SelectedDeliveries {
  /** The seq of each delivery. */
  readonly seqs: readonly number[]
  readonly kinds: readonly KindToSend[]
  /** For each index in `seqs`, an index into `kinds`. */
  readonly kindOf: readonly number[]
}

const PAGE = 5_000

/** Collects the selection piece by piece. */
function createSelection() {
  const seqs: number[] = []
  const kindOf: number[] = []
  const kinds = new Map<string, { readonly place: number; readonly kind: KindToSend }>()

  function placeOf({ id, hookId, environment, mode }: KindToSend): number {
    const key = JSON.stringify([hookId, environment, mode])
    let known = kinds.get(key)
    if (known === undefined)
      kinds.set(key, (known = { place: kinds.size, kind: { id, hookId, environment, mode } }))
    return known.place
  }

  return {
    add(seq: number, kind: KindToSend): void {
      seqs.push(seq)
      kindOf.push(placeOf(kind))
    },
    /** Deliveries of all kinds, oldest first. */
    addKinds(packed: readonly PackedKind[]): void {
      const found = packed.flatMap(([id, hookId, environment, mode, ofKind]) => {
        const place = placeOf({ id, hookId, environment, mode })
        return ofKind.map((seq) => [seq, place] as const)
      })
      if (packed.length > 1) found.sort(([one], [other]) => one - other)
      for (const [seq, place] of found) {
        seqs.push(seq)
        kindOf.push(place)
      }
    },
    selected: (): SelectedDeliveries => ({
      seqs,
      kindOf,
      kinds: [...kinds.values()].map(({ kind }) => kind),
    }),
  }
}

/** Deliveries by ID, in the given order. An ID may be `latest` or `latest:EVENT`. Rejects with `NOT_FOUND`. */
async function byId(
  store: Pick<Store, 'read'>,
  ids: readonly string[],
): Promise<SelectedDeliveries> {
  const selection = createSelection()
  for (const id of ids) {
    const delivery = await store.read('get', id)
    selection.add(delivery.seq, delivery)
  }
  return selection.selected()
}

/** Deliveries matching a query, oldest first, as the service sent them. */
async function byQuery(
  store: Pick<Store, 'read' | 'search'>,
  query: Query,
  signal: AbortSignal,
): Promise<SelectedDeliveries> {
  const seqs = await store.search.find(query, { signal })
  const oldestFirst = seqs.toReversed()
  const selection = createSelection()
  for (let from = 0; from < oldestFirst.length; from += PAGE) {
    signal.throwIfAborted()
    selection.addKinds(
      JSON.parse(
        await store.read('kindsToSend', oldestFirst.slice(from, from + PAGE)),
      ) as PackedKind[],
    )
  }
  return selection.selected()
}

export async function selectDeliveries(
  store: Pick<Store, 'read' | 'search' | 'settled'>,
  wanted: { readonly ids: readonly string[] | undefined; readonly query: Query | undefined },
  signal: AbortSignal,
): Promise<SelectedDeliveries> {
  await store.settled()
  const { ids, query } = wanted
  if ((ids === undefined) === (query === undefined))
    throw new AppError('INVALID_INPUT', 'Give either delivery IDs or a query.')
  return ids === undefined ? byQuery(store, query!, signal) : byId(store, ids)
}
