import type { ReactNode } from 'react'
import { CopyButton } from './copy.tsx'
import { ExactText } from './exact-text.tsx'
import { menuValue, type MenuValue } from './menu-value.ts'

interface NameValueRow {
  readonly name: string
  readonly value: string
  readonly warning: string | null
  /** Quiet word beside the name, with its colors. */
  readonly mark?: { readonly word: string; readonly colors: string }
  readonly note: string | null
  readonly copied: string
  readonly menu?: MenuValue
}

export function NameValueTable({
  label,
  rows,
  copyLabel,
  children,
}: {
  readonly label: string
  readonly rows: readonly NameValueRow[]
  readonly copyLabel: string
  readonly children?: ReactNode
}) {
  return (
    <div className="h-full overflow-auto" tabIndex={0} role="group" aria-label={label}>
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
          {rows.map(({ name, value, warning, mark, note, copied, menu }, index) => (
            <tr
              key={index}
              {...(menu === undefined ? {} : menuValue(menu))}
              className="border-b border-line/50 align-top hover:bg-raised"
            >
              <th
                scope="row"
                className="data py-1.5 pr-3 pl-5 text-left leading-[18px] font-normal wrap-anywhere text-muted"
              >
                <ExactText text={name} />
                {mark !== undefined && (
                  <span
                    className={`ml-2 inline-block rounded-small px-1.5 font-sans text-tiny ${mark.colors}`}
                  >
                    {mark.word}
                  </span>
                )}
                {warning !== null && (
                  <span className="block font-sans text-tiny text-warn">{warning}</span>
                )}
              </th>
              <td className="data py-1.5 leading-[18px] wrap-anywhere whitespace-pre-wrap">
                {value === '' ? (
                  <span className="font-sans text-subtle">empty</span>
                ) : (
                  <ExactText text={value} />
                )}
                {note !== null && (
                  <span className="block font-sans text-tiny text-subtle">{note}</span>
                )}
              </td>
              <td className="py-[3px] pr-2 text-right">
                <CopyButton text={copied} label={copyLabel} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </div>
  )
}

/** Lists facts in two columns, without copy buttons. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[128px_minmax(0,1fr)] @max-[480px]:grid-cols-[104px_minmax(0,1fr)]">
      {children}
    </dl>
  )
}

export function Fact({
  name,
  children,
  note,
}: {
  readonly name: string
  readonly children: ReactNode
  /** Second, quieter line. */
  readonly note?: ReactNode
}) {
  return (
    <>
      <dt className="border-b border-line/50 py-1.5 text-small leading-5 text-subtle">{name}</dt>
      <dd className="min-w-0 border-b border-line/50 py-1.5 wrap-anywhere">
        {children}
        {note !== undefined && <p className="text-small text-subtle">{note}</p>}
      </dd>
    </>
  )
}

export function MutedNote({ children }: { readonly children: ReactNode }) {
  return <p className="px-5 py-3 text-muted">{children}</p>
}
