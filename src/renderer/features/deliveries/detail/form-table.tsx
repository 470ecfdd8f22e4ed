/** The fields of a form body, decoded; those that are no UTF-8 as they were sent. */
import { CopyButton } from '../../../ui/copy.tsx'
import { ExactText } from '../../../ui/exact-text.tsx'
import { formFields, MOST_FORM_FIELDS } from '../body/form-fields.ts'

export function FormTable({ text }: { readonly text: string }) {
  const fields = formFields(text)
  return (
    <div className="h-full overflow-auto" tabIndex={0} role="group" aria-label="Form fields">
      <table className="w-full table-fixed border-collapse">
        <colgroup>
          <col className="w-[36%]" />
          <col />
          <col className="w-11" />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th>Name</th>
            <th>Value</th>
            <th>Copy</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ name, value, decoded }, index) => (
            <tr key={index} className="border-b border-line/50 align-top hover:bg-raised">
              <th scope="row" className="data py-1.5 pr-3 pl-5 text-left leading-[18px] font-normal wrap-anywhere text-muted">
                <ExactText text={name} />
                {!decoded && <span className="block font-sans text-tiny text-warn">not UTF-8: as sent</span>}
              </th>
              <td className="data py-1.5 leading-[18px] wrap-anywhere whitespace-pre-wrap">
                {value === '' ? <span className="font-sans text-subtle">empty</span> : <ExactText text={value} />}
              </td>
              <td className="py-[3px] pr-2 text-right">
                <CopyButton text={value} label="Copy this value" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {fields.length === MOST_FORM_FIELDS && (
        <p className="px-5 py-2 text-small text-muted">
          The first {MOST_FORM_FIELDS.toLocaleString('en')} fields. “As sent” shows all.
        </p>
      )}
    </div>
  )
}
