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
  | 'header-value-type'
  | 'header-value-length'
  | 'header-value-characters'

export interface HookFinding {
  readonly rule: HookRule
  readonly section: Section
  /** `event`, `url`, `programId`, `offerId`, `headers`, or one header as `headers.Name`. */
  readonly field: string
  readonly message: string
}
