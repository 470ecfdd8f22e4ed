/** Sections of the spec, which `docs/service.md` repeats as anchors. */

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
