/** Headers in the order, case and number received. */
import { CopyButton } from '../../../ui/copy.tsx'
import { ExactText } from '../../../ui/exact-text.tsx'
import type { RawHeaders } from '../../../../shared/model/delivery.ts'
import type { Shown } from '../detail-slice.ts'
import { headerTime } from './header-time.ts'

export function HeadersTab({ shown: { delivery } }: { readonly shown: Shown }) {
  if (delivery.headers.length === 0) return <p className="px-5 py-4 text-muted">No headers were received.</p>
  return <HeaderTable label="Headers" headers={delivery.headers} receivedAt={delivery.receivedAt} />
}

export interface HeaderTableProps {
  readonly label: string
  readonly headers: RawHeaders
  /** What times in them are told against. */
  readonly receivedAt: string
}

export function HeaderTable({ label, headers, receivedAt }: HeaderTableProps) {
  const times = new Map<string, number>()
  for (const [name] of headers) times.set(name.toLowerCase(), (times.get(name.toLowerCase()) ?? 0) + 1)
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
          {headers.map(([name, value], index) => (
            <tr key={index} className="border-b border-line/50 align-top hover:bg-raised">
              <th scope="row" className="data py-1.5 pr-3 pl-5 text-left leading-[18px] font-normal wrap-anywhere text-muted">
                <ExactText text={name} />
                {(times.get(name.toLowerCase()) ?? 0) > 1 && (
                  <span className="block font-sans text-tiny text-warn">sent {times.get(name.toLowerCase())} times</span>
                )}
              </th>
              <td className="data py-1.5 leading-[18px] wrap-anywhere whitespace-pre-wrap">
                {value === '' ? <span className="font-sans text-subtle">empty</span> : <ExactText text={value} />}
                <HeaderTime time={headerTime(name, value, receivedAt)} />
              </td>
              <td className="py-[3px] pr-2 text-right">
                <CopyButton text={`${name}: ${value}`} label="Copy this header" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="px-4 py-2">
        <CopyButton
          text={() => headers.map(([name, value]) => `${name}: ${value}`).join('\r\n')}
          label="Copy all headers"
          caption="Copy all"
        />
      </div>
    </div>
  )
}

function HeaderTime({ time }: { readonly time: string | null }) {
  return time === null ? null : <span className="block font-sans text-tiny text-subtle">{time}</span>
}
