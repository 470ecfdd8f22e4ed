/** The Body tab: tree, formatted, as sent, or hex; decoded if compressed, with search. */
import { Search, WrapText } from 'lucide-react'
import { useMemo, useState } from 'react'
import { contentEncodings, contentType, encodingInBytes } from '../../../shared/body/encoding.ts'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import { formatJson, placeInFormatted } from '../../../shared/json/format.ts'
import { ALTERED_BODY, type Delivery } from '../../../shared/model/delivery.ts'
import { useBody, wholeBodyQuery } from '../../core-data/use-body.ts'
import { useData, useRead } from '../../core-data/use-read.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { type LoadedBytes, hexText, saveBytes } from '../../ui/bytes.ts'
import { Code } from '../../ui/code.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { byteSize } from '../../ui/moment.ts'
import { NameValueTable } from '../../ui/name-value-table.tsx'
import { Segments } from '../../ui/segments.tsx'
import { decodeText, readText, textToShow, type ReadText } from './body-text.ts'
import { BodyNotice, HexRows, TextLimit } from './body-view.tsx'
import { MOST_NODES, treeOf, type JsonTree } from './json-tree.ts'
import { TreePane } from './tree-pane.tsx'

const FORM = 'application/x-www-form-urlencoded'

/** The open delivery, as far as its body is concerned. */
interface ShownBody {
  readonly delivery: Delivery
  readonly body: LoadedBytes
  /** Why the rest couldn't be loaded. */
  readonly bodyProblem: string | null
}

type Decoded = OutputOf<'bodies.decoded'>

/** The body to show: decoded, unless it wasn't compressed or is wanted as received. */
function useShownBody({ delivery, body, bodyProblem }: ShownBody) {
  const { id } = delivery
  const { isWhole, asReceived } = useAppParts(({ detail }) => ({
    isWhole: detail.whole === id,
    asReceived: detail.asReceived === id,
  }))
  const isCompressed =
    delivery.bodySize > 0 &&
    (contentEncodings(delivery.headers).length > 0 || encodingInBytes(body.bytes) !== null)
  const decoded = useBody('bodies.decoded', isCompressed ? id : null, isWhole)
  const isDecoded = (decoded.output?.encodings.length ?? 0) > 0 && !asReceived
  return {
    body: (isDecoded ? decoded.body : null) ?? body,
    decoded: decoded.output ?? null,
    isDecoded,
    asReceived,
    problem: isDecoded ? decoded.problem : bodyProblem,
    decodeProblem: isDecoded ? null : decoded.problem,
  }
}

export function BodyTab({ shown }: { readonly shown: ShownBody }) {
  const { delivery } = shown
  const { id } = delivery
  const data = useData()
  const { view, display, wrap, setPreference } = useAppParts((state) => ({
    view: state.detail.bodyView,
    display: state.detail.display,
    wrap: state.preferences.wrap,
    setPreference: state.preferences.set,
  }))
  const { body, decoded, isDecoded, asReceived, problem, decodeProblem } = useShownBody(shown)
  const { bytes, size } = body
  const isPart = bytes.length < size
  const cut = isPart || (isDecoded ? decoded?.end !== 'whole' : delivery.truncated)
  const { type, charset } = contentType(delivery.headers)
  const read = useMemo(() => readText(bytes, cut, charset), [bytes, cut, charset])
  const text = useMemo(() => textToShow(read, view), [read, view])
  const tree = useMemo(
    () => (view === 'tree' && text.isJson ? treeOf(read.text, read.cut) : null),
    [view, text, read],
  )
  const isForm = type === FORM
  const isText = view !== 'hex' && (!read.binary || view === 'text')
  const searchable = isText && !(isForm && view === 'tree')
  const [search, setSearch] = useState(false)
  const [reveal, setReveal] = useState<{ readonly at: number } | null>(null)
  // The tree can't be searched: the formatted text has the same values.
  const isSearching = search && tree === null
  const openSearch = () => {
    if (tree !== null) display({ bodyView: 'formatted' })
    setSearch(true)
  }
  const save = async () => {
    const command = isDecoded ? 'bodies.decoded' : 'deliveries.body'
    const all = isPart
      ? await data.act("Couldn't load the full body", () =>
          data.queries.fetchQuery(wholeBodyQuery(data, command, id)),
        )
      : bytes
    if (all !== undefined) saveBytes(all, `delivery-${id}${isDecoded ? '.decoded' : ''}.body`)
  }
  const copied = () => {
    if (!isText) return hexText(bytes)
    const { text: whole } = decodeText(bytes, cut, charset)
    return view === 'text' ? whole : (formatJson(whole, { cut }) ?? whole)
  }

  if (delivery.bodySize === 0) return <p className="px-5 py-4 text-muted">Empty body</p>
  const note = !searchable
    ? ''
    : text.isJson
      ? 'JSON, every token as sent'
      : view === 'text'
        ? ''
        : 'Not JSON, shown as sent'
  return (
    <div
      className="flex h-full flex-col"
      onKeyDown={(event) => {
        const { key, ctrlKey, metaKey, altKey, shiftKey } = event
        if (!searchable || key !== 'f' || !(ctrlKey || metaKey) || altKey || shiftKey) return
        event.preventDefault()
        openSearch()
      }}
    >
      <div className="flex h-10 shrink-0 items-center gap-1 border-b border-line pr-3 pl-4 @max-[440px]:gap-0.5 @max-[440px]:pl-3">
        <Segments
          label="Body view"
          options={[
            { value: 'tree', label: isForm ? 'Fields' : 'Tree' },
            { value: 'formatted', label: 'Formatted' },
            { value: 'text', label: 'As sent' },
            { value: 'hex', label: 'Hex' },
          ]}
          value={view}
          onChange={(bodyView) => display({ bodyView })}
        />
        <span
          className="min-w-0 flex-1 truncate pl-1 text-small text-subtle @max-[560px]:invisible"
          title={note}
        >
          {note}
        </span>
        {searchable && (
          <IconButton
            label="Search body"
            keys="Mod+F"
            pressed={isSearching}
            icon={Search}
            onClick={isSearching ? () => setSearch(false) : openSearch}
          />
        )}
        {(view === 'formatted' || view === 'text') && (
          <IconButton
            label={wrap ? "Don't wrap lines" : 'Wrap lines'}
            shortcut="wrap"
            pressed={wrap}
            icon={WrapText}
            onClick={() => setPreference('wrap', !wrap)}
          />
        )}
        <CopyButton text={copied} label="Copy body as shown" caption="Copy" />
        <button
          type="button"
          title="Save exact bytes"
          onClick={() => void save()}
          className="inline-flex h-6 shrink-0 items-center rounded-small px-1.5 text-small text-subtle transition-colors hover:bg-control hover:text-text"
        >
          Save
        </button>
      </div>
      {decodeProblem !== null && (
        <BodyNotice tone="warn">Couldn't decode the body: {decodeProblem}</BodyNotice>
      )}
      {decoded !== null && (
        <DecodedNotice
          decoded={decoded}
          asReceived={asReceived}
          onAsReceived={() => display({ asReceived: asReceived ? null : id })}
        />
      )}
      {!isDecoded && <StoredNotice delivery={delivery} kept={shown.body.size} />}
      {isPart && (
        <BodyNotice
          tone={problem === null ? 'quiet' : 'warn'}
          action={
            <NoticeButton disabled={body.loading} onClick={() => display({ whole: id })}>
              {body.loading ? 'Loading…' : 'Load all'}
            </NoticeButton>
          }
        >
          Showing the first {byteSize(bytes.length)} of {byteSize(size)}.
          {problem !== null && ` Couldn't load the rest: ${problem}`}
        </BodyNotice>
      )}
      {view !== 'hex' && (
        <>
          <TextLimit size={bytes.length} hex />
          <TextNotices
            read={read}
            charset={charset}
            onShow={() =>
              setReveal({ at: placeInFormatted(read.text, text.text, read.invalid?.at ?? 0) })
            }
          />
        </>
      )}
      {text.problem !== null && isText && (
        <BodyNotice
          tone="warn"
          action={
            <NoticeButton onClick={() => setReveal({ at: text.problem?.at ?? 0 })}>
              Go to error
            </NoticeButton>
          }
        >
          <QuotedText text={text.problem.message} />
        </BodyNotice>
      )}
      <div className="min-h-0 flex-1">
        {isText || (isForm && view === 'tree') ? (
          isForm && view === 'tree' ? (
            <FormTable text={read.text} />
          ) : tree === null ? (
            <Code
              label="Body"
              text={text.text}
              json={text.isJson}
              wrap={wrap}
              problems={text.problem === null ? [] : [text.problem]}
              reveal={reveal}
              search={search}
              onSearch={setSearch}
            />
          ) : (
            <Tree delivery={delivery} isDecoded={isDecoded} tree={tree} reveal={reveal} />
          )
        ) : (
          <div className="flex h-full flex-col">
            {view !== 'hex' && <BodyNotice tone="quiet">Binary body, shown as hex.</BodyNotice>}
            <div className="min-h-0 flex-1 pt-1.5">
              <HexRows label="Body" bytes={bytes} />
            </div>
          </div>
        )}
      </div>
    </div>
  )
}

const noFields: ReadonlySet<string> = new Set()

function Tree({
  delivery,
  isDecoded,
  tree,
  reveal,
}: {
  readonly delivery: Delivery
  /** The text isn't the received bytes that the schema was checked against. */
  readonly isDecoded: boolean
  readonly tree: JsonTree
  readonly reveal: { readonly at: number } | null
}) {
  const { output: schema } = useRead('deliveries.schema', { id: delivery.id })
  const { output: found } = useRead('bodies.newFields', { id: delivery.id })
  const newFields = useMemo(() => (found === undefined ? noFields : new Set(found.paths)), [found])
  return (
    <div className="flex h-full flex-col">
      {tree.isPartial && (
        <BodyNotice tone="quiet">
          Showing the first {MOST_NODES.toLocaleString('en')} values. "Formatted" and "As sent" show
          all.
        </BodyNotice>
      )}
      <div className="min-h-0 flex-1">
        <TreePane
          delivery={delivery}
          tree={tree}
          schema={isDecoded ? null : (schema ?? null)}
          newFields={newFields}
          reveal={reveal}
        />
      </div>
    </div>
  )
}

function NoticeButton(props: {
  readonly disabled?: boolean
  readonly onClick: () => void
  readonly children: string
}) {
  return <Button kind="quiet" className="h-6 px-2 text-small" {...props} />
}

function DecodedNotice({
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

/** Says that the received body isn't stored completely or exactly. */
function StoredNotice({
  delivery: { bodyLost, bodyAltered, bodySize, truncated },
  kept,
}: {
  readonly delivery: Delivery
  readonly kept: number
}) {
  const said = bodyLost
    ? `Body lost: its database page was damaged. Its size was ${byteSize(bodySize)}.`
    : bodyAltered
      ? ALTERED_BODY
      : truncated
        ? `Over the size limit: only the first ${byteSize(kept)} of ${byteSize(bodySize)} were kept.`
        : null
  return said === null ? null : <BodyNotice tone="warn">{said}</BodyNotice>
}

/** Notices about text that was read differently than the header says, or couldn't be read. */
function TextNotices({
  read: { charset: used, charsetUnknown, text, invalid, binary },
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
      {used !== 'utf-8' && (
        <BodyNotice tone="quiet">
          Read as {used}
          {charset === null ? ', from the byte order mark.' : ', from the content type.'} JSON must
          be UTF-8.
        </BodyNotice>
      )}
      {used === 'utf-8' && text.startsWith('\ufeff') && (
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

interface FormField {
  readonly name: string
  readonly value: string
  /** False if the percent escapes aren't UTF-8; the field is then shown as sent. */
  readonly decoded: boolean
}

/** The fields of a form body (`application/x-www-form-urlencoded`), in order, with duplicates. */
const MOST_FORM_FIELDS = 1_000

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
        return { name: decode(name), value: decode(value), decoded: true }
      } catch {
        // Percent escapes that aren't UTF-8.
        return { name, value, decoded: false }
      }
    })
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** Shows fields that aren't UTF-8 as sent. */
function FormTable({ text }: { readonly text: string }) {
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
      {fields.length === MOST_FORM_FIELDS && (
        <p className="px-5 py-2 text-small text-muted">
          Showing the first {MOST_FORM_FIELDS.toLocaleString('en')} fields. "As sent" shows all.
        </p>
      )}
    </NameValueTable>
  )
}
