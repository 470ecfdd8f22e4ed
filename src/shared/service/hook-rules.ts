/** The rules of hook registration (sections 2.1, 4.2, 4.3 and 8), as one pure function that finds everything at once. */
import type { HookKind } from '../model/hook.ts'
import { hookKindOf, isEventType, isQualifiedEvent } from './event-type.ts'
import { checkHeaders } from './header-rules.ts'
import type { HookFinding } from './hook-finding.ts'
import { MAX_HOOKS_PER_EVENT } from './limits.ts'

/** A hook as someone wants it. The values are unknown because they come from a form or a request: their types are checked too. */
export interface WantedHook {
  /** Through which endpoint it is registered; null where it is not (an import of one whose registration is not shown). */
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
  /** The other active hooks of the same environment, without the one that is being changed. */
  readonly siblings: readonly { readonly event: string; readonly programId: string | null }[]
  /** Whether a program hook has to name its program here; where the path of the request names it, it does not. */
  readonly needsProgram?: boolean
}

/** Every rule that the hook breaks; none where it can be registered. A program or offer that is null is not given. */
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

/** What the update form does not take (section 4.1): an offer other than the one that the hook has. */
export function checkUpdateFields(fields: Readonly<Record<string, unknown>>, offerId: string | null): HookFinding[] {
  if (!Object.hasOwn(fields, 'offerId') || (fields['offerId'] ?? null) === offerId) return []
  return [
    {
      rule: 'offer-update',
      section: '4.1',
      field: 'offerId',
      message:
        'offerId cannot be changed: the update form has programId, event, url and headers. Delete the hook and make another.',
    },
  ]
}

function checkEvent({ kind, event }: WantedHook): HookFinding[] {
  const finding = (rule: HookFinding['rule'], section: HookFinding['section'], message: string): HookFinding[] => [
    { rule, section, field: 'event', message },
  ]
  if (typeof event !== 'string' || event === '')
    return finding('event-required', '2.1', 'event is required: the name of an event type.')
  if (!isEventType(event)) return finding('event-unknown', '6.1', `There is no event type \`${event}\`.`)
  const eventKind = hookKindOf(event)
  if (kind === null || kind === eventKind) return []
  if (eventKind === null) {
    return finding(
      'event-not-registrable',
      '6.1',
      `How \`${event}\` is registered is not shown by the interface, so no hook can be made for it.`,
    )
  }
  return kind === 'brand'
    ? finding('event-kind', '4.1', `A brand hook takes brand.consent only; \`${event}\` is registered through a program hook.`)
    : finding('event-kind', '4.2', `A program hook does not take \`${event}\`, which is registered through a brand hook.`)
}

function checkUrl(url: unknown): HookFinding[] {
  const finding = (rule: HookFinding['rule'], message: string, section: HookFinding['section'] = '2.1'): HookFinding[] => [
    { rule, section, field: 'url', message },
  ]
  if (typeof url !== 'string' || url === '')
    return finding('url-required', 'url is required: the HTTPS address that deliveries go to.')
  // The URL is signed as it is written, so a character that a parser would forgive or rewrite is not.
  if (/[\s\x00-\x1f\x7f\\]/.test(url))
    return finding('url-invalid', 'Remove whitespace, control characters and backslashes from the URL. Write a space as %20.', '')
  // A parser also completes what lacks its slashes or its host.
  if (!URL.canParse(url) || (/^https?:/i.test(url) && !/^https?:\/\/[^/?#]/i.test(url)))
    return finding('url-invalid', `\`${url.slice(0, 200)}\` is not a URL; it takes one like https://example.com/hooks.`)
  if (new URL(url).protocol !== 'https:') {
    return finding(
      'url-https',
      `Only HTTPS URLs with a valid certificate are accepted; this one is ${new URL(url).protocol.slice(0, -1)}.`,
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
      ? finding('program-required', 'A program hook belongs to a program: programId is required, the id of one of the account.')
      : []
  }
  return isUuid(programId) ? [] : finding('program-uuid', 'programId must be a UUID.')
}

function checkOffer({ event, offerId }: WantedHook): HookFinding[] {
  if (offerId === undefined || offerId === null) return []
  const findings: HookFinding[] = []
  if (!isUuid(offerId))
    findings.push({ rule: 'offer-uuid', section: '2.1', field: 'offerId', message: 'offerId must be a UUID.' })
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

function checkLimit({ kind, event, programId }: WantedHook, { siblings }: HookSurroundings): HookFinding[] {
  if (kind !== 'program') return []
  const program = typeof programId === 'string' ? programId : null
  const others = siblings.filter((sibling) => sibling.event === event && sibling.programId === program).length
  if (others < MAX_HOOKS_PER_EVENT) return []
  return [
    {
      rule: 'url-limit',
      section: '8',
      field: 'url',
      message: `Up to ${MAX_HOOKS_PER_EVENT} URLs can be registered for one event type of a program; ${others} are there already. Delete one of them first.`,
    },
  ]
}

function isUuid(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
}
