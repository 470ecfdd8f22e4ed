/** The state of the Body tab: the body to show, its view, and the search. */
import { useMemo, useState } from 'react'
import { contentEncodings, contentType, encodingInBytes } from '../../../shared/body/encoding.ts'
import { formatJson, placeInFormatted } from '../../../shared/json/format.ts'
import type { Delivery } from '../../../shared/model/delivery.ts'
import { useBody, wholeBodyQuery } from '../../core-data/use-body.ts'
import { placesOfPhrases } from '../../../shared/query/searched-phrases.ts'
import { useData } from '../../core-data/use-read.ts'
import { useSearchedPhrases } from '../../ui-state/use-searched-phrases.ts'
import { useSearchMarks } from '../../ui/search-marks.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import type { LoadedBytes } from '../../core-data/bytes.ts'
import { readText, textToShow, type ReadText, type ShownText } from './body-text.ts'
import { decodeText } from './decode-text.ts'
import { treeOf, type JsonTree } from './json-tree.ts'
import { saveBytes } from '../../ui/save-file.ts'
import { hexText } from '../../ui/hex-rows.ts'

const FORM = 'application/x-www-form-urlencoded'

export interface ShownBody {
  readonly delivery: Delivery
  readonly body: LoadedBytes
  /** Problem that prevented loading the rest. */
  readonly bodyProblem: string | null
}

/** Reads the body to show: decoded if compressed, unless it is shown as received. */
function useShownBody({ delivery, body, bodyProblem }: ShownBody) {
  const { id } = delivery
  const { isWhole, asReceived } = useAppParts(({ detail }) => ({
    isWhole: detail.wholeBodyId === id,
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

/** Marks what a text search found, and reveals the first match until another place is requested. */
function useMatches(read: ReadText, text: ShownText, tree: JsonTree | null) {
  const [requestedReveal, setReveal] = useState<{ readonly at: number } | null>(null)
  const phrases = useSearchedPhrases()
  const marks = useSearchMarks(phrases, null)
  const firstMatch = useMemo(() => {
    const at = Math.min(...placesOfPhrases(read.text, phrases).map(({ start }) => start))
    if (!Number.isFinite(at)) return null
    return { at: tree === null ? placeInFormatted(read.text, text.text, at) : at }
  }, [read, text, tree, phrases])
  return { reveal: requestedReveal ?? firstMatch, setReveal, marks }
}

export type BodyTabState = ReturnType<typeof useBodyTab>

export function useBodyTab(shown: ShownBody) {
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
  const { reveal, setReveal, marks } = useMatches(read, text, tree)
  // The search uses the formatted text instead of the tree.
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

  return {
    shown,
    delivery,
    view,
    display,
    wrap,
    setPreference,
    body,
    decoded,
    isDecoded,
    asReceived,
    problem,
    decodeProblem,
    isPart,
    charset,
    read,
    text,
    tree,
    isForm,
    isText,
    searchable,
    search,
    setSearch,
    isSearching,
    openSearch,
    reveal,
    setReveal,
    marks,
    save,
    copied,
  }
}
