/**
 * Text as it may stand in a report. Reports hold what strangers' endpoints answered: what a terminal, an XML parser or a reader's
 * eye would stumble over is spelled out, as `\u001b`.
 */
import { printableLines } from '../../shared/text/printable.ts'

/** Spells out all that is not a visible character, a line's end or a tab; U+FFFE and U+FFFF too, which XML cannot hold. */
export function reportText(text: string): string {
  return printableLines(text).replace(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** The same, for the inside of an element or of a quoted attribute, in XML and HTML alike. */
export function escapeMarkup(text: string): string {
  return reportText(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
