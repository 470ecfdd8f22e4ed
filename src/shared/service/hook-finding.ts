/** A violated rule of hook registration: the rule, its section, the field, and a sentence for people. */
import type { Section } from './section.ts'

export type HookRule =
  | 'event-required'
  | 'event-unknown'
  | 'event-not-registrable'
  | 'event-kind'
  | 'url-required'
  | 'url-invalid'
  | 'url-https'
  | 'url-certificate'
  | 'url-limit'
  | 'program-required'
  | 'program-uuid'
  | 'offer-uuid'
  | 'offer-event'
  | 'offer-update'
  | 'headers-object'
  | 'headers-count'
  | 'header-name-length'
  | 'header-name-characters'
  | 'header-name-blocked'
  | 'header-name-unsendable'
  | 'header-value-type'
  | 'header-value-length'
  | 'header-value-characters'

export interface HookFinding {
  readonly rule: HookRule
  /** Empty for Countersign's own rules, which the spec doesn't have. */
  readonly section: Section | ''
  /** `event`, `url`, `programId`, `offerId`, `headers`, or one header as `headers.Name`. */
  readonly field: string
  readonly message: string
}

/** The source of a finding's rule, for sentences: `spec 4.3`, or Countersign's own rule. */
export function originOf({ section }: { readonly section: string }): string {
  return section === '' ? "Countersign's rule" : `spec ${section}`
}

/** A finding with its source at the end of its last sentence: `programId must be a UUID (spec 2.1).` */
export function withOrigin(finding: {
  readonly message: string
  readonly section: string
}): string {
  return `${finding.message.replace(/\.$/, '')} (${originOf(finding)}).`
}
