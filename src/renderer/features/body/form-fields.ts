/** The fields of a form body (`application/x-www-form-urlencoded`), in their order, duplicates kept. */

export interface FormField {
  readonly name: string
  readonly value: string
  /** False where the percent signs are no UTF-8: then it is shown as it was sent. */
  readonly decoded: boolean
}

export const MOST_FORM_FIELDS = 1_000

export function formFields(text: string): readonly FormField[] {
  if (text === '') return []
  return text
    .split('&', MOST_FORM_FIELDS)
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const name = equals === -1 ? pair : pair.slice(0, equals)
      const value = equals === -1 ? '' : pair.slice(equals + 1)
      try {
        return { name: decoded(name), value: decoded(value), decoded: true }
      } catch {
        // Not the percent signs of UTF-8.
        return { name, value, decoded: false }
      }
    })
}

function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
