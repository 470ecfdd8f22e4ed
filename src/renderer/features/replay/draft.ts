/** The composer's draft of a request. */
import { z } from 'zod'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { isOfConnection, targetKind } from '../../../shared/http.ts'
import type { Delivery, RawHeaders } from '../../../shared/model/delivery.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import {
  signatureModeSchema,
  tamperSchema,
  timestampModeSchema,
} from '../../../shared/model/send.ts'
import { toBase64 } from '../../../shared/snippets/snippet.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'

/** Captured request; `text` is null if the body can't be edited. */
export interface Original {
  readonly method: string
  readonly headers: RawHeaders
  readonly text: string | null
}

/** Most bytes of a body that can be edited; a text field can't handle more. */
export const LONGEST_EDITED = 262_144

export interface Captured {
  readonly delivery: Delivery
  readonly original: Original
}

export const draftSchema = z
  .object({
    /** URL or `@handler`; empty for the registered URL. */
    target: z.string(),
    method: z.string(),
    /** Lines `Name: value`, without connection headers. */
    headers: z.string(),
    text: z.string().nullable(),
    signature: signatureModeSchema,
    timestamp: timestampModeSchema,
    tamper: tamperSchema.nullable(),
    /** Id of the hook that signs; empty for each delivery's own. */
    hookId: z.string(),
    /** URL to sign; empty for the hook's registered URL. */
    signedUrl: z.string(),
    repeat: z.string(),
    concurrency: z.string(),
    rate: z.string(),
    /** Event of a new request; empty for none. */
    event: z.string().default(''),
    /** Name of a new request; empty for none. */
    name: z.string().default(''),
  })
  .readonly()

export type Draft = z.infer<typeof draftSchema>

/** Returns the editable headers in order, without connection headers. */
export function headersText(headers: RawHeaders): string {
  return headers
    .filter(([name]) => !isOfConnection(name))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

interface HeaderLine {
  readonly at: number
  readonly name: string
  readonly value: string
}

/** Parses header lines; a line without a colon has only a name. */
export function headerLines(text: string): readonly HeaderLine[] {
  return Array.from(text.matchAll(/[^\r\n]+/g), ({ 0: line, index: at }) => {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    return { at, name, value }
  })
}

export function newDraft(original: Original | null, target: string): Draft {
  return {
    target,
    method: original?.method ?? '',
    headers: headersText(original?.headers ?? []),
    text: original?.text ?? null,
    signature: 'recompute',
    timestamp: 'now',
    tamper: null,
    hookId: '',
    signedUrl: '',
    repeat: '1',
    concurrency: '1',
    rate: '',
    event: '',
    name: '',
  }
}

/**
 * Returns the endpoint offered first: the current handler, else the last endpoint except the
 * receiver, else the only saved handler; empty if there is none.
 */
export function firstEndpoint({
  handlers,
  ofHook,
  recent,
  receiver,
}: {
  readonly handlers: readonly Pick<SavedHandler, 'name' | 'current'>[]
  /** Last target of the deliveries' hook; null for its registered URL, undefined for none. */
  readonly ofHook: string | null | undefined
  /** Targets of other replays, latest first. */
  readonly recent: readonly string[]
  readonly receiver: string | null
}): string {
  const current = handlers.find((handler) => handler.current)
  if (current !== undefined) return handlerRef(current)
  const lastUrl = [ofHook, ...recent].find(
    (url) => typeof url === 'string' && targetKind(url, receiver) !== 'receiver',
  )
  const [only] = handlers.length === 1 ? handlers : []
  return lastUrl ?? (only === undefined ? '' : handlerRef(only))
}

type RequestInput = Omit<InputOf<'replay.preview'>, 'id'>

/** Returns the core's input for a draft: only the differences from the original. */
export function requestOf(draft: Draft, original: Original | null): RequestInput {
  const { target, method, headers, text, signature, timestamp, tamper, hookId, signedUrl } = draft
  const base = {
    to: target.trim() === '' ? null : target.trim(),
    registeredUrl: signature === 'recompute' && signedUrl !== '' ? signedUrl : null,
    hookId: hookId === '' ? null : hookId,
    tamper: signature === 'recompute' ? tamper : null,
  }
  const signingOptions = {
    signature,
    timestamp: signature === 'keep' ? ('now' as const) : timestamp,
  }
  if (original === null) return { ...base, edits: signingOptions }
  return {
    ...base,
    edits: {
      ...signingOptions,
      ...(method === original.method ? {} : { method }),
      ...(headers === headersText(original.headers)
        ? {}
        : {
            headers: headerLines(headers).map(({ name, value }): [string, string] => [name, value]),
          }),
      ...(text === null || text === original.text
        ? {}
        : { base64: toBase64(new TextEncoder().encode(text)) }),
    },
  }
}

/** Returns the core's input for a new request. */
export function composedOf(draft: Draft, { method, headers }: Original, hookId: string | null) {
  const { to, registeredUrl, tamper } = requestOf(draft, { method, headers, text: draft.text })
  return {
    ...{ to, registeredUrl, tamper, hookId },
    event: draft.event === '' ? null : draft.event,
    headers: headerLines(draft.headers).map(({ name, value }): [string, string] => [name, value]),
    base64: toBase64(new TextEncoder().encode(draft.text ?? '')),
    name: draft.name.trim() === '' ? null : draft.name,
  }
}

export interface Pace {
  readonly repeat: number
  readonly concurrency: number
  readonly rate: number | null
}

export function paceOf({ repeat, concurrency, rate }: Draft): Pace | null {
  const parseCount = (text: string, limit: number) =>
    /^\d{1,4}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= limit
      ? Number(text)
      : null
  const repeats = parseCount(repeat, 1_000)
  const parallel = parseCount(concurrency, 64)
  const speed = rate.trim() === '' ? null : Number(rate)
  if (repeats === null || parallel === null || (speed !== null && !(speed > 0 && speed <= 100_000)))
    return null
  return { repeat: repeats, concurrency: parallel, rate: speed }
}
