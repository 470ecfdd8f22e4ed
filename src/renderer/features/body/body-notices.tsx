/** The notices above a body. */
import type { OutputOf } from '../../../shared/contract/contract.ts'
import { ALTERED_BODY, type Delivery } from '../../../shared/model/delivery.ts'
import { Button } from '../../ui/button.tsx'
import { byteSize } from '../../ui/moment.ts'
import type { ReadText } from './body-text.ts'
import { BodyNotice } from './body-view.tsx'

type Decoded = OutputOf<'bodies.decoded'>

export function NoticeButton(props: {
  readonly disabled?: boolean
  readonly onClick: () => void
  readonly children: string
}) {
  return <Button kind="quiet" className="h-6 px-2 text-small" {...props} />
}

export function DecodedNotice({
  decoded: { encodings, receivedSize, size, end, problem },
  asReceived,
  onAsReceived,
}: {
  readonly decoded: Decoded
  readonly asReceived: boolean
  readonly onAsReceived: () => void
}) {
  if (encodings.length === 0)
    return problem === null ? null : <BodyNotice tone="warn">{problem}</BodyNotice>
  const names = encodings.join(', then ')
  return (
    <BodyNotice
      tone={problem === null ? 'quiet' : 'warn'}
      action={
        <NoticeButton onClick={onAsReceived}>
          {asReceived ? 'Show decoded' : 'Show as received'}
        </NoticeButton>
      }
    >
      {asReceived
        ? `As received, compressed with ${names}: ${byteSize(receivedSize)}.`
        : `Decoded from ${names}: ${byteSize(receivedSize)} → ${byteSize(size)}${end === 'limit' ? ' and more' : ''}.`}
      {problem !== null && ` ${problem}`}
    </BodyNotice>
  )
}

/** Explains that the received body isn't stored completely or exactly. */
export function StoredNotice({
  delivery: { bodyLost, bodyAltered, bodySize, truncated },
  kept,
}: {
  readonly delivery: Delivery
  readonly kept: number
}) {
  const notice = bodyLost
    ? `Body lost: its database page was damaged. Its size was ${byteSize(bodySize)}.`
    : bodyAltered
      ? ALTERED_BODY
      : truncated
        ? `Over the size limit: only the first ${byteSize(kept)} of ${byteSize(bodySize)} were kept.`
        : null
  return notice === null ? null : <BodyNotice tone="warn">{notice}</BodyNotice>
}

/** Explains text that was read differently than the header says, or couldn't be read. */
export function TextNotices({
  read: { charset: usedCharset, charsetUnknown, text, invalid, binary },
  charset,
  onShow,
}: {
  readonly read: ReadText
  readonly charset: string | null
  readonly onShow: () => void
}) {
  return (
    <>
      {charsetUnknown && (
        <BodyNotice tone="warn">
          Unknown charset "{charset?.slice(0, 40)}" in the content type. Read as UTF-8.
        </BodyNotice>
      )}
      {usedCharset !== 'utf-8' && (
        <BodyNotice tone="quiet">
          Read as {usedCharset}
          {charset === null ? ', from the byte order mark.' : ', from the content type.'} JSON must
          be UTF-8.
        </BodyNotice>
      )}
      {usedCharset === 'utf-8' && text.startsWith('\ufeff') && (
        <BodyNotice tone="warn">
          Starts with a byte order mark (EF BB BF), which isn't valid in JSON.
        </BodyNotice>
      )}
      {invalid !== null && !binary && (
        <BodyNotice tone="warn" action={<NoticeButton onClick={onShow}>Show first</NoticeButton>}>
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
