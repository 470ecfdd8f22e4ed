/** Where a rule stands: the numbers of the interface's sections, which `docs/service.md` repeats as anchors. */

/** A section number such as `2.6`. */
export type Section = `${number}` | `${number}.${number}`

/** Anchor of a section in `docs/service.md`: `section-2-6`. */
export function sectionAnchor(section: Section): string {
  return `section-${section.replace('.', '-')}`
}
