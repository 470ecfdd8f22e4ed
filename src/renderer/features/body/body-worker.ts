/** Worker entry: parses bodies and lays them out. It keeps recent bodies, so that their bytes are sent only once. */
import { answerAbout, type BodyQuestion } from './body-layout.ts'
import { decodeText, type BodyText } from './decode-text.ts'

export interface WorkerRequest {
  readonly id: number
  readonly source: number
  /** Sent with the first question about a source. */
  readonly given: {
    readonly bytes: Uint8Array<ArrayBuffer>
    readonly cut: boolean
    readonly charset: string | null
  } | null
  /** Sources that are no longer needed. */
  readonly forget: readonly number[]
  readonly question: BodyQuestion
}

const sources = new Map<number, { read: BodyText; cut: boolean }>()

self.addEventListener(
  'message',
  ({ data: { id, source, given, forget, question } }: MessageEvent<WorkerRequest>) => {
    for (const old of forget) sources.delete(old)
    if (given !== null)
      sources.set(source, {
        read: decodeText(given.bytes, given.cut, given.charset),
        cut: given.cut,
      })
    const held = sources.get(source)
    const answer = held === undefined ? null : answerAbout(held.read, held.cut, question)
    self.postMessage({ id, answer }, { transfer: buffersOf(answer) })
  },
)

/** The tables of an answer, transferred instead of copied. */
function buffersOf(answer: unknown): ArrayBuffer[] {
  if (typeof answer !== 'object' || answer === null) return []
  return Object.values(answer).flatMap((value: unknown) =>
    ArrayBuffer.isView(value)
      ? [value.buffer as ArrayBuffer]
      : typeof value === 'object'
        ? buffersOf(value)
        : [],
  )
}
