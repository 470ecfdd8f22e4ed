/** Violated rules of hook registration. */

/** Section of the spec, such as `2.6`. */
export type Section = `${number}` | `${number}.${number}`

/** Returns the anchor in `docs/service.md`: `section-2-6`. */
export function sectionAnchor(section: Section): string {
  return `section-${section.replace('.', '-')}`
}

export function isSection(text: string): text is Section {
  return /^\d+(\.\d+)?$/.test(text)
}

/** Section and field of each rule; Countersign's own have no section. */
const rules = {
  'event-required': ['2.1', 'event'],
  'event-unknown': ['6.1', 'event'],
  'event-name': ['6.1', 'event'],
  'event-not-registrable': ['6.1', 'event'],
  'event-kind': ['4.1', 'event'],
  'url-required': ['2.1', 'url'],
  'url-invalid': ['2.1', 'url'],
  'url-https': ['2.1', 'url'],
  'url-certificate': ['2.1', 'url'],
  'url-limit': ['8', 'url'],
  'already-imported': ['', 'secret'],
  'program-required': ['2.1', 'programId'],
  'program-uuid': ['2.1', 'programId'],
  'offer-uuid': ['2.1', 'offerId'],
  'offer-event': ['4.2', 'offerId'],
  'offer-update': ['4.1', 'offerId'],
  'headers-object': ['2.1', 'headers'],
  'headers-count': ['4.3', 'headers'],
  'header-name-length': ['4.3', 'headers'],
  'header-name-characters': ['4.3', 'headers'],
  'header-name-blocked': ['4.3', 'headers'],
  'header-name-unsendable': ['', 'headers'],
  'header-value-type': ['2.1', 'headers'],
  'header-value-length': ['4.3', 'headers'],
  'header-value-characters': ['', 'headers'],
} as const satisfies Readonly<Record<string, readonly [section: Section | '', field: string]>>

export type HookRule = keyof typeof rules

/** Creates a finding, of a single header if named. */
export function hookFinding(rule: HookRule, message: string, header?: string): HookFinding {
  const [section, field] = rules[rule]
  return { rule, section, field: header === undefined ? field : `${field}.${header}`, message }
}

export interface HookFinding {
  readonly rule: HookRule
  readonly section: Section | ''
  /** Input field, or one header as `headers.Name`. */
  readonly field: string
  readonly message: string
}

/** Names the source of a rule: `spec 4.3`, or Countersign's rule. */
export function originOf({ section }: { readonly section: string }): string {
  return section === '' ? "Countersign's rule" : `spec ${section}`
}

/** Appends the source: `programId must be a UUID (spec 2.1).` */
export function withOrigin(finding: {
  readonly message: string
  readonly section: string
}): string {
  return `${finding.message.replace(/\.$/, '')} (${originOf(finding)}).`
}
