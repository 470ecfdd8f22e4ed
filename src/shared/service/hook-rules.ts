/** The rules of hook registration (sections 2.1, 4.2, 4.3 and 8), as one pure function that finds all violations at once. */
import type { Hook } from '../model/hook.ts'
import { targetKind } from '../http.ts'
import { nearest } from '../query/problem.ts'
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

/** A hook to register. The values are unknown because they come from a form or a request: their types are checked too. */
export interface WantedHook {
  /** The endpoint that registers it; null for an import whose registration the spec doesn't show. */
  readonly kind: HookKind | null
  readonly event: unknown
  readonly url: unknown
  readonly programId?: unknown
  readonly offerId?: unknown
  readonly headers?: unknown
}

export interface HookSurroundings {
  /** The service's own name in header names. */
  readonly prefix: string
  /** The other active hooks of the same environment, without the one being changed. */
  readonly siblings: readonly { readonly event: string; readonly programId: string | null }[]
  /** Whether a program hook must name its program here; not if the request path already does. */
  readonly needsProgram?: boolean
}

/** Every rule that the hook violates; empty if it can be registered. A program or offer that is null counts as missing. */
export function checkHook(wanted: WantedHook, surroundings: HookSurroundings): HookFinding[] {
  return [
    ...checkEvent(wanted),
    ...checkUrl(wanted.url),
    ...checkProgram(wanted, surroundings.needsProgram ?? false),
    ...checkOffer(wanted),
    ...checkHeaders(wanted.headers, surroundings.prefix),
    ...checkLimit(wanted, surroundings),
  ]
}

/** The update form (section 4.1) can't change the hook's offer. */
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

function checkEvent({ kind, event }: WantedHook): HookFinding[] {
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
    return [hookFinding('event-unknown', `Unknown event type \`${event}\`.${meantBy(event)}`)]
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

function meantBy(event: string): string {
  const [meant] = nearest(event, eventTypes)
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}

function checkUrl(url: unknown): HookFinding[] {
  if (typeof url !== 'string' || url === '')
    return [hookFinding('url-required', 'url is required: the HTTPS URL that receives deliveries.')]
  // The URL is signed exactly as written, so characters that a parser would ignore or rewrite aren't allowed.
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

function checkProgram({ kind, programId }: WantedHook, needed: boolean): HookFinding[] {
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

function checkOffer({ event, offerId }: WantedHook): HookFinding[] {
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
  { kind, event, programId }: WantedHook,
  { siblings }: HookSurroundings,
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
 * The remote host that the sandbox delivers a hook's events to only if it is allowed; null for all other hooks. A name is judged as
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

/** Active hooks under a base URL, which move with it. */
export function hooksUnder<T extends Pick<Hook, 'status' | 'url'>>(
  hooks: readonly T[],
  baseUrl: string,
): readonly T[] {
  return hooks.filter(({ status, url }) => status === 'active' && isUnder(url, baseUrl))
}

export function isUnder(url: string, baseUrl: string): boolean {
  return `${url}/`.startsWith(`${baseUrl.replace(/(?<!\/)\/+$/, '')}/`)
}
