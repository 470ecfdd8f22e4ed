/** A violated rule of hook registration: the rule, its section, the field, and a sentence for people. */

// Sections of the spec, which `docs/service.md` repeats as anchors.

/** A section number such as `2.6`. */
export type Section = `${number}` | `${number}.${number}`

/** Anchor of a section in `docs/service.md`: `section-2-6`. */
export function sectionAnchor(section: Section): string {
  return `section-${section.replace('.', '-')}`
}

/** Whether a text is a section number, for values received as JSON. */
export function isSection(text: string): text is Section {
  return /^\d+(\.\d+)?$/.test(text)
}

export type HookRule =
  | 'event-required'
  | 'event-unknown'
  | 'event-name'
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
