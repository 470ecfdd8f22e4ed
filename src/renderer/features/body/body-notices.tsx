/** Notices above a body: it is incomplete, was compressed, or isn't all text. */
import type { ReactNode } from 'react'
import type { Delivery } from '../../../shared/model/delivery.ts'
import { Button } from '../../ui/button.tsx'
import { byteSize } from '../../ui/moment.ts'
import type { DecodedBody } from './body-slice.ts'
import type { BodyText } from './decode-text.ts'

export function DecodedNotice({
  decoded,
  asReceived,
  onAsReceived,
}: {
  readonly decoded: DecodedBody
  readonly asReceived: boolean
  readonly onAsReceived: (asReceived: boolean) => void
}) {
  const { encodings, receivedSize, size, end, problem } = decoded
  if (encodings.length === 0)
    return problem === null ? null : <BodyNotice tone="warn">{problem}</BodyNotice>
  const names = encodings.join(', then ')
  return (
    <BodyNotice
      tone={problem === null ? 'quiet' : 'warn'}
      action={
        <Button
          kind="quiet"
          className="h-6 px-2 text-small"
          onClick={() => onAsReceived(!asReceived)}
        >
          {asReceived ? 'Show decoded' : 'Show as received'}
        </Button>
      }
    >
      {asReceived
        ? `As received, compressed with ${names}: ${byteSize(receivedSize)}.`
        : `Decoded from ${names}: ${byteSize(receivedSize)} → ${byteSize(size)}${end === 'limit' ? ' and more' : ''}.`}
      {problem !== null && ` ${problem}`}
    </BodyNotice>
  )
}

export function CutNotice({
  loaded,
  size,
  loading,
  onLoad,
  onRaw,
}: {
  readonly loaded: number
  readonly size: number
  readonly loading: boolean
  readonly onLoad: () => void
  readonly onRaw: () => void
}) {
  const look = 'h-6 px-2 text-small'
  return (
    <BodyNotice
      tone="quiet"
      action={
        <>
          <Button kind="quiet" className={look} disabled={loading} onClick={onLoad}>
            {loading ? 'Loading…' : 'Load all'}
          </Button>
          <Button kind="quiet" className={look} onClick={onRaw}>
            View raw
          </Button>
        </>
      }
    >
      Showing the first {byteSize(loaded)} of {byteSize(size)}.
    </BodyNotice>
  )
}

/** Notices about text that was read differently than the header says, or couldn't be read. */
export function TextNotices({
  read,
  charset,
  onShow,
}: {
  readonly read: BodyText
  readonly charset: string | null
  readonly onShow: () => void
}) {
  const { invalid } = read
  return (
    <>
      {read.charsetUnknown && (
        <BodyNotice tone="warn">
          Unknown charset "{charset?.slice(0, 40)}" in the content type. Read as UTF-8.
        </BodyNotice>
      )}
      {read.charset !== 'utf-8' && (
        <BodyNotice tone="quiet">
          Read as {read.charset}
          {charset === null ? ', from the byte order mark.' : ', from the content type.'} JSON must
          be UTF-8.
        </BodyNotice>
      )}
      {read.charset === 'utf-8' && read.text.startsWith('\ufeff') && (
        <BodyNotice tone="warn">
          Starts with a byte order mark (EF BB BF), which isn't valid in JSON.
        </BodyNotice>
      )}
      {invalid !== null && !read.binary && (
        <BodyNotice
          tone="warn"
          action={
            <Button kind="quiet" className="h-6 px-2 text-small" onClick={onShow}>
              Show first
            </Button>
          }
        >
          {invalid.count === 1
            ? "1 byte isn't"
            : `${invalid.count.toLocaleString('en')} bytes aren't`}{' '}
          UTF-8, shown as escapes such as \xff. First at byte{' '}
          {(invalid.byte + 1).toLocaleString('en')}.
        </BodyNotice>
      )}
    </>
  )
}

export function TruncatedNotice({
  delivery,
  kept,
}: {
  readonly delivery: Delivery
  readonly kept: number
}) {
  if (delivery.bodyLost)
    return (
      <BodyNotice tone="warn">
        Body lost: its database page was damaged. Its size was {byteSize(delivery.bodySize)}.
      </BodyNotice>
    )
  return (
    <BodyNotice tone="warn">
      Over the size limit: only the first {byteSize(kept)} of {byteSize(delivery.bodySize)} were
      kept.
    </BodyNotice>
  )
}

export function BodyNotice({
  tone,
  action,
  children,
}: {
  readonly tone: 'quiet' | 'warn'
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div
      role="status"
      className={`flex min-h-9 shrink-0 items-center gap-2 border-b border-line py-1 pr-2 pl-4 text-small ${
        tone === 'warn' ? 'bg-warn-wash text-warn' : 'bg-raised text-muted'
      }`}
    >
      <span className="min-w-0 flex-1">{children}</span>
      {action}
    </div>
  )
}
