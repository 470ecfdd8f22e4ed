/** The rules of hook registration (sections 2.1, 4.2, 4.3 and 8), as one pure function that finds all violations at once. */
import type { Hook, HookKind } from '../model/hook.ts'
import { nearest } from '../query/problem.ts'
import { eventTypes, hookKindOf, isEventName, isEventType, isQualifiedEvent } from './event-type.ts'
import { checkHeaders } from './header-rules.ts'
import type { HookFinding } from './hook-finding.ts'
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
    {
      rule: 'offer-update',
      section: '4.1',
      field: 'offerId',
      message: "offerId can't be changed. Delete the hook and register a new one.",
    },
  ]
}

function checkEvent({ kind, event }: WantedHook): HookFinding[] {
  const finding = (
    rule: HookFinding['rule'],
    section: HookFinding['section'],
    message: string,
  ): HookFinding[] => [{ rule, section, field: 'event', message }]
  if (typeof event !== 'string' || event === '')
    return finding('event-required', '2.1', 'event is required: the name of an event type.')
  if (!isEventName(event))
    return finding(
      'event-name',
      '6.1',
      `\`${event.slice(0, 200)}\` isn't an event type. Use a name such as transaction.auth.`,
    )
  if (!isEventType(event))
    return finding('event-unknown', '6.1', `Unknown event type \`${event}\`.${meantBy(event)}`)
  const eventKind = hookKindOf(event)
  if (kind === null || kind === eventKind) return []
  if (eventKind === null) {
    return finding(
      'event-not-registrable',
      '6.1',
      `The spec doesn't show how to register \`${event}\`, so a hook for it can't be created.`,
    )
  }
  return kind === 'brand'
    ? finding(
        'event-kind',
        '4.1',
        `A brand hook receives brand.consent only; register \`${event}\` through a program hook.`,
      )
    : finding(
        'event-kind',
        '4.2',
        `A program hook can't receive \`${event}\`; register it through a brand hook.`,
      )
}

function meantBy(event: string): string {
  const [meant] = nearest(event, eventTypes)
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}

function checkUrl(url: unknown): HookFinding[] {
  const finding = (
    rule: HookFinding['rule'],
    message: string,
    section: HookFinding['section'] = '2.1',
  ): HookFinding[] => [{ rule, section, field: 'url', message }]
  if (typeof url !== 'string' || url === '')
    return finding('url-required', 'url is required: the HTTPS URL that receives deliveries.')
  // The URL is signed exactly as written, so characters that a parser would ignore or rewrite aren't allowed.
  if (/[\s\x00-\x1f\x7f\\]/.test(url))
    return finding(
      'url-invalid',
      'Remove whitespace, control characters and backslashes from the URL. Write a space as %20.',
      '',
    )
  // A parser also adds missing slashes or a missing host.
  if (!URL.canParse(url) || (/^https?:/i.test(url) && !/^https?:\/\/[^/?#]/i.test(url)))
    return finding(
      'url-invalid',
      `\`${url.slice(0, 200)}\` isn't a URL. Use one like https://example.com/hooks.`,
    )
  if (new URL(url).protocol !== 'https:') {
    return finding(
      'url-https',
      `Use an HTTPS URL with a valid certificate, not ${new URL(url).protocol.slice(0, -1)}.`,
    )
  }
  return []
}

function checkProgram({ kind, programId }: WantedHook, needed: boolean): HookFinding[] {
  const finding = (rule: HookFinding['rule'], message: string): HookFinding[] => [
    { rule, section: '2.1', field: 'programId', message },
  ]
  if (programId === undefined || programId === null || programId === '') {
    return needed && kind === 'program'
      ? finding(
          'program-required',
          "programId is required for a program hook: the ID of one of the account's programs.",
        )
      : []
  }
  return isUuid(programId) ? [] : finding('program-uuid', 'programId must be a UUID.')
}

function checkOffer({ event, offerId }: WantedHook): HookFinding[] {
  if (offerId === undefined || offerId === null) return []
  const findings: HookFinding[] = []
  if (!isUuid(offerId))
    findings.push({
      rule: 'offer-uuid',
      section: '2.1',
      field: 'offerId',
      message: 'offerId must be a UUID.',
    })
  if (typeof event !== 'string' || !isQualifiedEvent(event)) {
    findings.push({
      rule: 'offer-event',
      section: '4.2',
      field: 'offerId',
      message:
        'offerId is accepted only for transaction.auth.qualified, transaction.clearing.qualified and transaction.refund.qualified.',
    })
  }
  return findings
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
    {
      rule: 'url-limit',
      section: '8',
      field: 'url',
      message: `A program can have at most ${MAX_HOOKS_PER_EVENT} URLs per event type, and ${others} are registered. Delete one of them first.`,
    },
  ]
}

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
}

/** Active hooks under a base URL, which move with it. */
export function hooksUnder<T extends Pick<Hook, 'status' | 'url'>>(
  hooks: readonly T[],
  baseUrl: string,
): readonly T[] {
  const under = baseUrl.replace(/\/+$/, '')
  return hooks.filter(
    ({ status, url }) => status === 'active' && (url === under || url.startsWith(`${under}/`)),
  )
}
