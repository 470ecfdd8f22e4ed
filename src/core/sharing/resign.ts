/** Signs a shared delivery as the original was signed, with the same mistakes. */
import type { Delivery, RawHeaders } from '../../shared/model/delivery.ts'
import type { Omission } from '../../shared/model/sharing.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import type { RegisteredHook, Registry } from '../hooks/registry.ts'
import type { DiagnosisInput } from '../signature/diagnosis/diagnosis-input.ts'
import type { DiagnosisService } from '../signature/diagnosis-service.ts'
import type { AlikeInput } from '../signature/sign-alike.ts'
import { signDelivery } from '../signature/sign.ts'
import { isSignedBy } from '../signature/verify.ts'
import { sharedTime, type SharingTools } from './share-body.ts'
import { sharedUrl } from './shared-urls.ts'
import type { SignersDeps, ThrowAwaySigners } from './throw-away-signers.ts'

/** Hooks to compare an invalid signature with, and what a diagnosis of it reads. */
export interface DiagnosisAttempt {
  readonly hooks: readonly (RegisteredHook | null)[]
  readonly inputs: readonly DiagnosisInput[]
  readonly depth: AlikeInput['depth']
}

export interface SigningDeps extends SignersDeps {
  readonly registry: Pick<Registry, 'judge' | 'hooksAt'>
  readonly diagnosis: Pick<DiagnosisService, 'signAlike'>
  attemptsOf(delivery: Delivery, body: Uint8Array): AsyncIterable<DiagnosisAttempt>
  /** Resolves with whether a diagnosis with the present keys found no mistake. */
  isUnexplained(delivery: Delivery): Promise<boolean>
}

export interface DeliverySigning {
  readonly deps: SigningDeps
  readonly tools: SharingTools
  readonly signers: ThrowAwaySigners
}

/** Signature of a shared delivery, with the one that it replaces. */
export interface Resigned {
  readonly old: { readonly signature: string; readonly timestamp: string }
  readonly signature: string
  readonly timestamp: string
  /** Hooks that verify or explain it. */
  readonly hookIds: readonly string[] | 'all'
}

/** Causes that another hook's or environment's secret or URL explains. */
const BY_OTHERS = /^(?:secret:(?:other|deleted|api)|url:other-hook)/

/** Signs as the original was signed; null if its signature has no known secret or mistake. */
export async function resign(
  { deps, tools, signers }: DeliverySigning,
  delivery: Delivery,
  body: Uint8Array,
  shared: Uint8Array,
): Promise<Resigned | Omission | null> {
  const { verdict, path, headers, receivedAt, origin } = delivery
  if (verdict === 'valid') {
    const [at, isShared] = [Date.parse(receivedAt), origin === 'shared']
    const judged = await deps.registry.judge(path ?? '/', headers, body, at, isShared)
    const { hook, signature, timestamp } = judged
    if (hook === null || judged.verdict !== 'valid' || signature === null || timestamp === null)
      return 'unproved'
    const key = hook.keys.find((one) =>
      isSignedBy({ key: one, url: hook.url }, body, timestamp, signature),
    )
    if (key === undefined) return 'unproved'
    const parts = {
      body: shared,
      url: sharedUrl(hook.url, tools.placeholders),
      timestamp: sharedTime(timestamp, tools),
      key: signers.keyFor(key),
    }
    const old = { signature, timestamp }
    return { old, ...parts, signature: signDelivery(parts).signature, hookIds: [hook.id] }
  }
  if (verdict === 'unsigned' || !delivery.verifiedHere) return null
  if (await deps.isUnexplained(delivery)) return null
  for await (const attempt of deps.attemptsOf(delivery, body)) {
    const [first] = attempt.inputs
    const after = attempt.inputs.map((input) => sharedInput(input, shared, tools, signers))
    const alike = await deps.diagnosis.signAlike({
      before: attempt.inputs,
      after,
      depth: attempt.depth,
      words: wordsOf(first?.received ?? '', tools),
    })
    if (alike === null || first === undefined) continue
    if (alike.signed === null) return 'unlike'
    const hookId = attempt.hooks[alike.index]?.id
    const isByOthers = alike.causes.some((cause) => BY_OTHERS.test(cause))
    return {
      old: { signature: first.received, timestamp: first.timestamp },
      ...alike.signed,
      hookIds: isByOthers ? 'all' : hookId === undefined ? [] : [hookId],
    }
  }
  return null
}

function wordsOf(received: string, { placeholders }: SharingTools): Record<string, string> {
  const words = received.length > 200 ? [] : (received.match(/[\p{L}\p{N}]+/gu) ?? [])
  return Object.fromEntries(words.map((word) => [word, placeholders.text(word)]))
}

function sharedInput(
  input: DiagnosisInput,
  body: Uint8Array,
  tools: SharingTools,
  signers: ThrowAwaySigners,
): DiagnosisInput {
  const { placeholders } = tools
  return {
    ...input,
    body,
    url: sharedUrl(input.url, placeholders),
    timestamp: sharedTime(input.timestamp, tools),
    key: signers.keyFor(input.key),
    otherSecrets: input.otherSecrets.map((one) => ({ ...one, key: signers.keyFor(one.key) })),
    otherUrls: input.otherUrls.map((one) => ({ ...one, url: sharedUrl(one.url, placeholders) })),
    otherTimestamps: input.otherTimestamps.map(({ kind, text, where }) => ({
      kind,
      where,
      text: kind === 'other-header' ? placeholders.text(text) : sharedTime(text, tools),
    })),
    otherBodies: [],
  }
}

/** Returns the replaced headers with the new signature and timestamp in place of the old. */
export function withSignature(
  before: RawHeaders,
  after: RawHeaders,
  prefixes: readonly string[],
  resigned: Resigned | null,
): [string, string][] {
  const names = prefixes.map((prefix) => headerNames(prefix))
  return after.map(([name, value], index) => {
    const [lower, old] = [name.toLowerCase(), before[index]?.[1] ?? '']
    const part = (['signature', 'timestamp'] as const).find((one) =>
      names.some((own) => own[one] === lower),
    )
    return resigned !== null && part !== undefined && old.includes(resigned.old[part])
      ? [name, old.replaceAll(resigned.old[part], () => resigned[part])]
      : [name, value]
  })
}
