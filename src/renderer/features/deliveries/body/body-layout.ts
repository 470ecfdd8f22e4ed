/** What a body looks like as text: rows of JSON, or of lines. Runs in a worker, so that no size of body holds the window up. */
import { fromUtf8 } from './bytes.ts'
import { layOutJson } from './json-rows.ts'
import { plainRows, type TextRows } from './text-rows.ts'

export interface LayoutRequest {
  readonly id: number
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The bytes are the beginning of more. */
  readonly cut: boolean
  /** Show the text as it was sent, JSON or not. */
  readonly asSent: boolean
  readonly columns: number
}

export type BodyLayout =
  | { readonly kind: 'json'; readonly text: string; readonly rows: TextRows }
  /** `notJsonAt`: where it stops to be JSON, null where nobody asked. */
  | { readonly kind: 'text'; readonly text: string; readonly rows: TextRows; readonly notJsonAt: number | null }
  | { readonly kind: 'binary' }

export interface LayoutAnswer {
  readonly id: number
  readonly layout: BodyLayout
}

export function layOutBody(request: Omit<LayoutRequest, 'id'>): BodyLayout {
  const text = fromUtf8(request.bytes, request.cut)
  if (text === null) return { kind: 'binary' }
  if (request.asSent) return { kind: 'text', text, rows: plainRows(text, request.columns), notJsonAt: null }
  const json = layOutJson(text, request.columns)
  if (json.outcome === 'json' || (json.outcome === 'cut' && request.cut)) return { kind: 'json', text, rows: json.rows }
  return {
    kind: 'text',
    text,
    rows: plainRows(text, request.columns),
    notJsonAt: json.outcome === 'not-json' ? json.at : text.length,
  }
}
