/** Rules of hook registration (sections 2.1, 4.2, 4.3 and 8). */
import type { Hook } from '../model/hook.ts'
import { targetKind } from '../http.ts'
import { likelyNames } from '../query/problem.ts'
import {
  eventTypes,
  hookKindOf,
  isEventName,
  isEventType,
  isQualifiedEvent,
  type HookKind,
} from './event-type.ts'
import { checkHeaders } from './header-rules.ts'
import { hookFinding, type HookFinding } from './hook-finding.ts'
import { MAX_HOOKS_PER_EVENT } from './limits.ts'

/** Hook to register, with unchecked values of a form or request. */
export interface HookDraft {
  /** Endpoint that registers it, if the spec shows it. */
  readonly kind: HookKind | null
  readonly event: unknown
  readonly url: unknown
  readonly programId?: unknown
  readonly offerId?: unknown
  readonly headers?: unknown
}

export interface HookContext {
  readonly prefix: string
  readonly siblings: readonly { readonly event: string; readonly programId: string | null }[]
  /** False if the request path names the program. */
  readonly needsProgram?: boolean
}

/** Finds every rule that the hook violates. */
export function checkHook(hook: HookDraft, context: HookContext): HookFinding[] {
  return [
    ...checkEvent(hook),
    ...checkUrl(hook.url),
    ...checkProgram(hook, context.needsProgram ?? false),
    ...checkOffer(hook),
    ...checkHeaders(hook.headers, context.prefix),
    ...checkLimit(hook, context),
  ]
}

/** Finds a change of the offer, which an update can't make (section 4.1). */
export function checkUpdateFields(
  fields: Readonly<Record<string, unknown>>,
  offerId: string | null,
): HookFinding[] {
  if (!Object.hasOwn(fields, 'offerId') || (fields['offerId'] ?? null) === offerId) return []
  return [
    hookFinding(
      'offer-update',
      "offerId can't be changed. Delete the hook and register a new one.",
    ),
  ]
}

function checkEvent({ kind, event }: HookDraft): HookFinding[] {
  if (typeof event !== 'string' || event === '')
    return [hookFinding('event-required', 'event is required: the name of an event type.')]
  if (!isEventName(event))
    return [
      hookFinding(
        'event-name',
        `\`${event.slice(0, 200)}\` isn't an event type. Use a name such as transaction.auth.`,
      ),
    ]
  if (!isEventType(event))
    return [hookFinding('event-unknown', `Unknown event type \`${event}\`.${suggestionFor(event)}`)]
  const eventKind = hookKindOf(event)
  if (kind === null || kind === eventKind) return []
  if (eventKind === null)
    return [
      hookFinding(
        'event-not-registrable',
        `The spec doesn't show how to register \`${event}\`, so a hook for it can't be created.`,
      ),
    ]
  return kind === 'brand'
    ? [
        hookFinding(
          'event-kind',
          `A brand hook receives brand.consent only; register \`${event}\` through a program hook.`,
        ),
      ]
    : [
        {
          ...hookFinding(
            'event-kind',
            `A program hook can't receive \`${event}\`; register it through a brand hook.`,
          ),
          section: '4.2',
        },
      ]
}

function suggestionFor(event: string): string {
  const [likely] = likelyNames(event, eventTypes)
  return likely === undefined ? '' : ` Did you mean ${likely}?`
}

function checkUrl(url: unknown): HookFinding[] {
  if (typeof url !== 'string' || url === '')
    return [hookFinding('url-required', 'url is required: the HTTPS URL that receives deliveries.')]
  // The URL is signed as written, so a parser mustn't ignore or rewrite characters.
  if (/[\s\x00-\x1f\x7f\\]/.test(url)) {
    const message =
      'Remove whitespace, control characters and backslashes from the URL. Write a space as %20.'
    return [{ ...hookFinding('url-invalid', message), section: '' }]
  }
  // A parser also adds missing slashes or a missing host.
  if (!URL.canParse(url) || (/^https?:/i.test(url) && !/^https?:\/\/[^/?#]/i.test(url)))
    return [
      hookFinding(
        'url-invalid',
        `\`${url.slice(0, 200)}\` isn't a URL. Use one like https://example.com/hooks.`,
      ),
    ]
  const { protocol } = new URL(url)
  return protocol === 'https:'
    ? []
    : [
        hookFinding(
          'url-https',
          `Use an HTTPS URL with a valid certificate, not ${protocol.slice(0, -1)}.`,
        ),
      ]
}

function checkProgram({ kind, programId }: HookDraft, needed: boolean): HookFinding[] {
  if (programId === undefined || programId === null || programId === '')
    return needed && kind === 'program'
      ? [
          hookFinding(
            'program-required',
            "programId is required for a program hook: the ID of one of the account's programs.",
          ),
        ]
      : []
  return isUuid(programId) ? [] : [hookFinding('program-uuid', 'programId must be a UUID.')]
}

function checkOffer({ event, offerId }: HookDraft): HookFinding[] {
  if (offerId === undefined || offerId === null) return []
  return [
    ...(isUuid(offerId) ? [] : [hookFinding('offer-uuid', 'offerId must be a UUID.')]),
    ...(typeof event === 'string' && isQualifiedEvent(event)
      ? []
      : [
          hookFinding(
            'offer-event',
            'offerId is accepted only for transaction.auth.qualified, transaction.clearing.qualified and transaction.refund.qualified.',
          ),
        ]),
  ]
}

function checkLimit(
  { kind, event, programId }: HookDraft,
  { siblings }: HookContext,
): HookFinding[] {
  if (kind !== 'program') return []
  const program = typeof programId === 'string' ? programId : null
  const others = siblings.filter(
    (sibling) => sibling.event === event && sibling.programId === program,
  ).length
  if (others < MAX_HOOKS_PER_EVENT) return []
  return [
    hookFinding(
      'url-limit',
      `A program can have at most ${MAX_HOOKS_PER_EVENT} URLs per event type, and ${others} are registered. Delete one of them first.`,
    ),
  ]
}

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
}

/**
 * Returns the remote host that needs consent to the sandbox's deliveries. A name is judged as
 * written: it may still resolve to this computer.
 */
export function remoteHostOf(
  { environment, status, url }: Pick<Hook, 'environment' | 'status' | 'url'>,
  publicUrl: string | null,
): string | null {
  const isSent = status === 'active' && /^sandbox-(test|live)$/.test(environment)
  const isHere = targetKind(url, null) === 'here' || isUnder(url, publicUrl ?? '')
  return isSent && !isHere ? new URL(url).hostname : null
}

export function hooksUnder<T extends Pick<Hook, 'status' | 'url'>>(
  hooks: readonly T[],
  baseUrl: string,
): readonly T[] {
  return hooks.filter(({ status, url }) => status === 'active' && isUnder(url, baseUrl))
}

export function isUnder(url: string, baseUrl: string): boolean {
  return `${url}/`.startsWith(`${baseUrl.replace(/(?<!\/)\/+$/, '')}/`)
}
