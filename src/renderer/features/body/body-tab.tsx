/** The Body tab: tree, formatted, as sent, or hex; decoded if compressed, with search. */
import { ALTERED_BODY } from '../../../shared/model/delivery.ts'
import { Search, WrapText } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { contentType } from '../../../shared/body/encoding.ts'
import { formatJson, placeInFormatted } from '../../../shared/json/format.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { hexText } from '../../ui/hex-rows.ts'
import { Segments } from '../../ui/segments.tsx'
import { BodyContent } from './body-content.tsx'
import {
  BodyNotice,
  CutNotice,
  DecodedNotice,
  TextNotices,
  TruncatedNotice,
} from './body-notices.tsx'
import { isDecoded, type ShownBody } from './body-slice.ts'
import { readText, textToShow, type ShownText } from './body-text.ts'
import { TextLimit } from './body-view.tsx'
import { decodeText } from './decode-text.ts'

const FORM = 'application/x-www-form-urlencoded'

export function BodyTab({ shown: { body: received, delivery } }: { readonly shown: ShownBody }) {
  const {
    view,
    setView,
    wrap,
    setPreference,
    setTab,
    facts,
    asReceived,
    setAsReceived,
    readFacts,
    loadRest,
    save,
  } = useAppParts((state) => ({
    view: state.body.view,
    setView: state.body.setView,
    wrap: state.preferences.wrap,
    setPreference: state.preferences.set,
    setTab: state.detail.setTab,
    facts: state.body.facts?.id === delivery.id ? state.body.facts : null,
    asReceived: state.body.asReceived,
    setAsReceived: state.body.setAsReceived,
    readFacts: state.body.readFacts,
    loadRest: state.body.loadRest,
    save: state.body.save,
  }))
  useEffect(() => {
    void readFacts(delivery)
  }, [readFacts, delivery])

  const decoded = facts?.decoded ?? null
  const isShownDecoded = isDecoded(decoded) && !asReceived
  const body = isShownDecoded ? decoded : received
  const { bytes } = body
  const isCut = bytes.length < body.size
  const cut = isCut || (isShownDecoded ? decoded.end !== 'whole' : delivery.truncated)
  const { type, charset } = contentType(delivery.headers)
  const read = useMemo(() => readText(bytes, cut, charset), [bytes, cut, charset])
  const shown = useMemo(() => textToShow(read, view), [read, view])
  const { problem } = shown
  const isForm = type === FORM
  const isText = view !== 'hex' && (!read.binary || view === 'text')
  const isFields = isForm && view === 'tree'
  const searchable = isText && !isFields
  const [search, setSearch] = useState(false)
  const [shownPlace, setShownPlace] = useState<{ readonly at: number } | null>(null)
  // The tree can't be searched: the formatted text has the same values.
  const isTree = view === 'tree' && shown.isJson
  const openSearch = () => {
    if (isTree) setView('formatted')
    setSearch(true)
  }

  if (delivery.bodySize === 0) return <p className="px-5 py-4 text-muted">Empty body</p>
  const note = searchable ? noteOf(shown, view === 'text') : ''
  const copied = () => {
    if (!isText) return hexText(bytes)
    const { text } = decodeText(bytes, cut, charset)
    return view === 'text' ? text : (formatJson(text, { cut }) ?? text)
  }
  return (
    <div
      className="flex h-full flex-col"
      onKeyDown={(event) => {
        if (
          !searchable ||
          event.key !== 'f' ||
          !(event.ctrlKey || event.metaKey) ||
          event.altKey ||
          event.shiftKey
        )
          return
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
          onChange={setView}
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
            pressed={search && !isTree}
            icon={<Search size={15} aria-hidden />}
            onClick={search && !isTree ? () => setSearch(false) : openSearch}
          />
        )}
        {(view === 'formatted' || view === 'text') && (
          <IconButton
            label={wrap ? "Don't wrap lines" : 'Wrap lines'}
            shortcut="wrap"
            pressed={wrap}
            icon={<WrapText size={15} aria-hidden />}
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
      {facts?.decodeProblem != null && (
        <BodyNotice tone="warn">Couldn't decode the body: {facts.decodeProblem}</BodyNotice>
      )}
      {decoded !== null && (
        <DecodedNotice decoded={decoded} asReceived={asReceived} onAsReceived={setAsReceived} />
      )}
      {delivery.truncated && !isShownDecoded && (
        <TruncatedNotice delivery={delivery} kept={received.size} />
      )}
      {delivery.bodyAltered && <BodyNotice tone="warn">{ALTERED_BODY}</BodyNotice>}
      {isCut && (
        <CutNotice
          loaded={bytes.length}
          size={body.size}
          loading={body.loading}
          onLoad={() => void loadRest()}
          onRaw={() => setTab('raw')}
        />
      )}
      {view !== 'hex' && (
        <>
          <TextLimit size={bytes.length} hex />
          <TextNotices
            read={read}
            charset={charset}
            onShow={() =>
              setShownPlace({ at: placeInFormatted(read.text, shown.text, read.invalid?.at ?? 0) })
            }
          />
        </>
      )}
      {problem !== null && isText && (
        <BodyNotice
          tone="warn"
          action={
            <Button
              kind="quiet"
              className="h-6 px-2 text-small"
              onClick={() => setShownPlace({ at: problem.at ?? 0 })}
            >
              Go to error
            </Button>
          }
        >
          <QuotedText text={problem.message} />
        </BodyNotice>
      )}
      <div className="min-h-0 flex-1">
        <BodyContent
          delivery={delivery}
          facts={facts}
          isDecoded={isShownDecoded}
          bytes={bytes}
          read={read}
          view={view}
          isForm={isForm}
          shown={shown}
          wrap={wrap}
          reveal={shownPlace}
          search={search}
          onSearch={setSearch}
        />
      </div>
    </div>
  )
}

/** What the toolbar says of the shown text. */
function noteOf({ isJson }: ShownText, isAsSent: boolean): string {
  if (isJson) return 'JSON, every token as sent'
  return isAsSent ? '' : 'Not JSON, shown as sent'
}
