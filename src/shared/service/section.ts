/** Where a rule stands: the numbers of the interface's sections, which `docs/service.md` repeats as anchors. */

/** A section number such as `2.6`. */
export type Section = `${number}` | `${number}.${number}`

/** Anchor of a section in `docs/service.md`: `section-2-6`. */
export function sectionAnchor(section: Section): string {
  return `section-${section.replace('.', '-')}`
}

/** Whether a text is the number of a section, as those that travel as JSON are. */
export function isSection(text: string): text is Section {
  return /^\d+(\.\d+)?$/.test(text)
}
