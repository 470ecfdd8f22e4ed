/** The Body tab: tree, formatted, as sent, or hex; decoded if compressed, with search. */
import { ALTERED_BODY } from '../../../shared/model/delivery.ts'
import { Search, WrapText, ChevronDown, ChevronUp, X } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { contentType } from '../../../shared/body/encoding.ts'
import { useAppParts } from '../../state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { hexText } from '../../ui/hex-rows.ts'
import { Segments } from '../../ui/segments.tsx'
import { BodyContent } from './body-content.tsx'
import type { BodyLayout, JsonStop } from './body-layout.ts'
import {
  CutNotice,
  DecodedNotice,
  JsonStopNotice,
  BodyNotice,
  TextNotices,
  TruncatedNotice,
} from './body-notices.tsx'
import { isDecoded, type ShownBody } from './body-slice.ts'
import { askAboutBody, useAboutBody, type BodySource } from './lay-out-in-worker.ts'
import type { Highlight } from './find-text.ts'

const FORM = 'application/x-www-form-urlencoded'
const askText = { ask: 'text' } as const

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
  const source = useMemo(() => ({ bytes, cut, charset }), [bytes, cut, charset])
  const read = useAboutBody(source, askText)
  const isForm = type === FORM
  const search = useBodySearch(source)
  const isText = typeof read === 'object' && (!read.binary || view === 'text')
  const searchable = isText && view !== 'hex' && !(isForm && view === 'tree')
  const [{ note, stop }, setLaidOut] = useState<LaidOut>({ note: '', stop: null })
  const onLayout = useCallback(
    (layout: BodyLayout | 'tree' | 'too-long') => setLaidOut(laidOutOf(layout)),
    [],
  )
  const [shownPlace, setShownPlace] = useState<{ readonly at: number } | null>(null)
  const content = useRef<HTMLDivElement>(null)
  const closeSearch = () => {
    search.close()
    content.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  }

  if (delivery.bodySize === 0) return <p className="px-5 py-4 text-muted">Empty body</p>
  const copied = async () => {
    if (view === 'hex' || typeof read !== 'object') return hexText(bytes)
    const formatted = view === 'text' ? null : await askAboutBody(source, { ask: 'formatted' })
    return formatted === null || formatted === 'too-long' || formatted.text === null
      ? read.text
      : formatted.text
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
        search.show()
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
          {view === 'hex' || !isText ? '' : note}
        </span>
        {searchable && (
          <IconButton
            label="Search body"
            keys="Mod+F"
            pressed={search.open}
            icon={<Search size={15} aria-hidden />}
            onClick={search.open ? closeSearch : search.show}
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
      {typeof read === 'object' && view !== 'hex' && (
        <TextNotices
          read={read}
          charset={charset}
          onShow={() => setShownPlace({ at: read.invalid?.at ?? 0 })}
        />
      )}
      {stop !== null && isText && view !== 'hex' && (
        <JsonStopNotice stop={stop} onShow={() => setShownPlace({ at: stop.at })} />
      )}
      {searchable && search.open && <BodySearchBar search={search} onClose={closeSearch} />}
      <div ref={content} className="min-h-0 flex-1">
        <BodyContent
          delivery={delivery}
          facts={facts}
          isDecoded={isShownDecoded}
          source={source}
          read={read}
          view={view}
          isForm={isForm}
          wrap={wrap}
          highlight={search.highlight}
          reveal={search.reveal ?? shownPlace}
          onLayout={onLayout}
        />
      </div>
    </div>
  )
}

/** Results of formatting a body; `stop` is where it stops being JSON. */
interface LaidOut {
  readonly note: string
  readonly stop: JsonStop | null
}

function laidOutOf(layout: BodyLayout | 'tree' | 'too-long'): LaidOut {
  if (layout === 'too-long') return { note: 'Too long to format, shown as hex', stop: null }
  if (layout === 'tree' || layout.kind === 'json')
    return { note: 'JSON, every token as sent', stop: null }
  return layout.notJson === null
    ? { note: '', stop: null }
    : { note: 'Not JSON, shown as sent', stop: layout.notJson.stop }
}

// Search in the open body: the number of hits, and moving between them.

interface BodySearch {
  readonly open: boolean
  /** Incremented on each request to search: the field then takes the focus. */
  readonly asked: number
  readonly wanted: string
  readonly searching: boolean
  readonly count: number
  readonly more: boolean
  readonly current: number
  readonly highlight: Highlight | null
  /** The current hit; a new object when it changes. */
  readonly reveal: { readonly at: number } | null
  show(): void
  close(): void
  setWanted(wanted: string): void
  step(by: 1 | -1): void
}

/** Searches in the worker, so that typing stays responsive at any size. */
function useBodySearch(source: BodySource): BodySearch {
  const [open, setOpen] = useState(false)
  const [asked, setAsked] = useState(0)
  const [wanted, setWanted] = useState('')
  const [current, setCurrent] = useState(0)
  const question = useMemo(
    () => (open && wanted !== '' ? ({ ask: 'find', wanted } as const) : null),
    [open, wanted],
  )
  const answer = useAboutBody(source, question)
  const found = question !== null && typeof answer === 'object' ? answer : null
  const count = found?.starts.length ?? 0
  const place = count === 0 ? 0 : Math.min(current, count - 1)
  const reveal = useMemo(
    () => (found === null || count === 0 ? null : { at: found.starts[place] ?? 0 }),
    [found, count, place],
  )
  const highlight = useMemo(
    () => (found === null || count === 0 ? null : { found, length: wanted.length, current: place }),
    [found, count, wanted, place],
  )
  return {
    open,
    asked,
    wanted,
    searching: question !== null && answer === 'reading',
    count,
    more: found?.more ?? false,
    current: place,
    highlight,
    reveal,
    show() {
      setOpen(true)
      setAsked(asked + 1)
    },
    close() {
      setOpen(false)
    },
    setWanted(next) {
      setWanted(next)
      setCurrent(0)
    },
    step(by) {
      if (count > 0) setCurrent((place + by + count) % count)
    },
  }
}

function BodySearchBar({
  search,
  onClose,
}: {
  readonly search: BodySearch
  readonly onClose: () => void
}) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [search.asked])
  return (
    <div
      role="search"
      className="flex h-10 shrink-0 items-center gap-2 border-b border-line bg-raised pr-2 pl-4"
    >
      <input
        ref={field}
        aria-label="Search body"
        placeholder="Search body"
        spellCheck={false}
        autoComplete="off"
        value={search.wanted}
        onChange={(event) => search.setWanted(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') search.step(event.shiftKey ? -1 : 1)
          else if (event.key === 'Escape') onClose()
          else return
          event.preventDefault()
        }}
        className="data h-7 min-w-0 flex-1 rounded-control border border-edge/60 bg-ground px-2 text-text hover:border-edge"
      />
      <span
        className="min-w-16 shrink-0 text-right text-small text-muted tabular-nums"
        role="status"
      >
        {placeOf(search)}
      </span>
      <IconButton
        label="Previous"
        keys="Shift+Enter"
        icon={<ChevronUp size={15} aria-hidden />}
        disabled={search.count === 0}
        onClick={() => search.step(-1)}
      />
      <IconButton
        label="Next"
        keys="Enter"
        icon={<ChevronDown size={15} aria-hidden />}
        disabled={search.count === 0}
        onClick={() => search.step(1)}
      />
      <IconButton
        label="Close search"
        keys="Escape"
        icon={<X size={15} aria-hidden />}
        onClick={onClose}
      />
    </div>
  )
}

function placeOf({ wanted, searching, count, more, current }: BodySearch): string {
  if (wanted === '' || searching) return ''
  if (count === 0) return 'No matches'
  return `${(current + 1).toLocaleString('en')} of ${count.toLocaleString('en')}${more ? '+' : ''}`
}
