/** The fields of a form body. */
import { NameValueTable } from '../../ui/name-value-table.tsx'

interface FormField {
  readonly name: string
  readonly value: string
  /** Whether the percent escapes are UTF-8; otherwise the field is shown as sent. */
  readonly decoded: boolean
}

/** Fields shown of a form body. */
const MAX_FORM_FIELDS = 1_000

/** Parses `application/x-www-form-urlencoded`, in order and with duplicates. */
export function formFields(text: string): readonly FormField[] {
  if (text === '') return []
  return text
    .split('&', MAX_FORM_FIELDS)
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const name = equals === -1 ? pair : pair.slice(0, equals)
      const value = equals === -1 ? '' : pair.slice(equals + 1)
      try {
        return { name: decode(name), value: decode(value), decoded: true }
      } catch {
        return { name, value, decoded: false }
      }
    })
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

export function FormTable({ text }: { readonly text: string }) {
  const fields = formFields(text)
  const rows = fields.map(({ name, value, decoded }) => ({
    name,
    value,
    warning: decoded ? null : 'not UTF-8, shown as sent',
    note: null,
    copied: value,
  }))
  return (
    <NameValueTable label="Form fields" rows={rows} copyLabel="Copy value">
      {fields.length === MAX_FORM_FIELDS && (
        <p className="px-5 py-2 text-small text-muted">
          Showing the first {MAX_FORM_FIELDS.toLocaleString('en')} fields. "As sent" shows all.
        </p>
      )}
    </NameValueTable>
  )
}
