/** A rule of hook registration that is broken: which, where it stands, in which field, and a sentence for people. */
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
  /** Empty for a rule of Countersign's own, which the spec doesn't have. */
  readonly section: Section | ''
  /** `event`, `url`, `programId`, `offerId`, `headers`, or one header as `headers.Name`. */
  readonly field: string
  readonly message: string
}

/** Where a finding's rule comes from, for sentences: `section 4.3`, or that it is our own. */
export function originOf({ section }: { readonly section: string }): string {
  return section === '' ? "Countersign's rule" : `section ${section}`
}
