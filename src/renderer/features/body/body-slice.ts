/** The open body's derived data: decoded content, schema findings, and new fields. Loaded when the body is opened. */
import { contentEncodings, encodingInBytes } from '../../../shared/body/encoding.ts'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import type { Delivery, SchemaReport } from '../../../shared/model/delivery.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet, sentenceOf } from '../../data/act.ts'
import { concatenated, fromBase64, type LoadedBytes } from '../../ui/bytes.ts'
import { saveBytes } from '../../ui/save.ts'

export const bodyViews = ['tree', 'formatted', 'text', 'hex'] as const
export type BodyView = (typeof bodyViews)[number]

/** The open delivery, as far as its body is concerned. */
export interface ShownBody {
  readonly delivery: Delivery
  readonly body: LoadedBytes
}

export interface DecodedBody extends Omit<OutputOf<'bodies.decoded'>, 'base64' | 'offset'> {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly loading: boolean
}

/** For one delivery; replaced as a whole when another one is opened. */
export interface BodyFacts {
  readonly id: string
  readonly schema: SchemaReport | null
  readonly newFields: ReadonlySet<string>
  /** Null if the body was sent without encoding, or isn't decoded yet. */
  readonly decoded: DecodedBody | null
  readonly decodeProblem: string | null
}

export interface BodySlice {
  readonly view: BodyView
  readonly facts: BodyFacts | null
  /** Shows the received bytes of a decoded body. */
  readonly asReceived: boolean
  /** A path that the tree selects once it is drawn. */
  readonly shownPath: { readonly id: string; readonly path: string } | null

  /** Selects a path in the tree of a delivery's body. */
  showPath(id: string, path: string): void
  pathShown(): void
  setView(view: BodyView): void
  readFacts(delivery: Delivery): Promise<void>
  setAsReceived(asReceived: boolean): void
  /** Loads the rest of the displayed body, decoded or not. */
  loadRest(): Promise<void>
  /** Saves all displayed bytes, loading the rest first if needed. */
  save(): Promise<void>
}

/** What the slice needs from the detail pane. */
interface DetailOfBody {
  readonly detail: {
    readonly shown: ShownBody | null
    loadWholeBody(): Promise<void>
  }
}

/** Whether any encoding was decoded; a body that couldn't be decoded is shown as received. */
export function isDecoded(decoded: DecodedBody | null | undefined): decoded is DecodedBody {
  return decoded != null && decoded.encodings.length > 0
}

export function createBodySlice({
  client,
  fail,
  set,
  get,
  app,
}: FeatureTools<BodySlice, DetailOfBody>): BodySlice {
  const readDecoded = async (id: string, offset: number) => {
    const { base64, offset: _, ...rest } = await client.call('bodies.decoded', { id, offset })
    return { ...rest, bytes: fromBase64(base64), loading: false }
  }
  const change = (id: string, facts: Partial<BodyFacts>) =>
    set(({ facts: bodyFacts }) =>
      bodyFacts?.id === id ? { facts: { ...bodyFacts, ...facts } } : {},
    )
  const shownDecoded = () => {
    const { facts: bodyFacts, asReceived: bodyAsReceived } = get()
    const { shown } = app().detail
    const decoded = bodyFacts?.id === shown?.delivery.id ? bodyFacts?.decoded : null
    return bodyAsReceived || !isDecoded(decoded) ? null : decoded
  }
  const isCompressed = ({ headers }: Delivery) =>
    contentEncodings(headers).length > 0 ||
    encodingInBytes(app().detail.shown?.body.bytes ?? new Uint8Array()) !== null

  const loadRestOfDecoded = async (id: string, decoded: DecodedBody) => {
    if (decoded.loading) return
    change(id, { decoded: { ...decoded, loading: true } })
    const pieces = [decoded.bytes]
    let read = decoded.bytes.length
    try {
      while (read < decoded.size) {
        const { bytes } = await readDecoded(id, read)
        if (bytes.length === 0) break
        pieces.push(bytes)
        read += bytes.length
      }
      change(id, { decoded: { ...decoded, bytes: concatenated(pieces) } })
    } catch (error) {
      change(id, { decoded })
      fail("Couldn't load the full body", error)
    }
  }

  return {
    view: 'tree',
    facts: null,
    asReceived: false,
    shownPath: null,

    showPath(id, path) {
      set({ view: 'tree', shownPath: { id, path } })
    },
    pathShown() {
      set({ shownPath: null })
    },
    setView(bodyView) {
      set({ view: bodyView })
    },
    async readFacts(delivery) {
      const { id } = delivery
      const before = get().facts
      const kept =
        before?.id === id
          ? before
          : { id, schema: null, newFields: new Set<string>(), decoded: null, decodeProblem: null }
      set({ facts: kept, ...(before?.id === id ? {} : { asReceived: false }) })
      const decode = async () => {
        if (kept.decoded !== null || delivery.bodySize === 0 || !isCompressed(delivery)) return
        try {
          change(id, { decoded: await readDecoded(id, 0), decodeProblem: null })
        } catch (error) {
          if (!isQuiet(error)) change(id, { decodeProblem: sentenceOf(error) })
        }
      }
      const describe = async () => {
        try {
          const [schema, { paths }] = await Promise.all([
            client.call('deliveries.schema', { id }),
            client.call('bodies.newFields', { id }),
          ])
          change(id, { schema, newFields: new Set(paths) })
        } catch (error) {
          fail("Couldn't load the body's findings", error)
        }
      }
      await Promise.all([decode(), describe()])
    },
    setAsReceived(bodyAsReceived) {
      set({ asReceived: bodyAsReceived })
    },
    async loadRest() {
      const decoded = shownDecoded()
      const id = app().detail.shown?.delivery.id
      if (id === undefined) return
      await (decoded === null ? app().detail.loadWholeBody() : loadRestOfDecoded(id, decoded))
    },
    async save() {
      const id = app().detail.shown?.delivery.id
      if (id === undefined) return
      const isWhole = (body: { bytes: Uint8Array; size: number }) => body.bytes.length === body.size
      const current = () => shownDecoded() ?? app().detail.shown?.body
      const body = current()
      if (body !== undefined && !isWhole(body)) await get().loadRest()
      const loaded = current()
      if (loaded === undefined || !isWhole(loaded) || app().detail.shown?.delivery.id !== id) return
      saveBytes(loaded.bytes, `delivery-${id}${shownDecoded() === null ? '' : '.decoded'}.body`)
    },
  }
}
