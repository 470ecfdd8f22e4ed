/** The fields of a form body, decoded; those that are no UTF-8 as they were sent. */
import { formFields, MOST_FORM_FIELDS } from '../body/form-fields.ts'
import { NameValueTable } from './name-value-table.tsx'

export function FormTable({ text }: { readonly text: string }) {
  const fields = formFields(text)
  const rows = fields.map(({ name, value, decoded }) => ({
    name,
    value,
    warning: decoded ? null : 'not UTF-8: as sent',
    note: null,
    copied: value,
  }))
  return (
    <NameValueTable label="Form fields" rows={rows} copyLabel="Copy this value">
      {fields.length === MOST_FORM_FIELDS && (
        <p className="px-5 py-2 text-small text-muted">
          The first {MOST_FORM_FIELDS.toLocaleString('en')} fields. “As sent” shows all.
        </p>
      )}
    </NameValueTable>
  )
}
