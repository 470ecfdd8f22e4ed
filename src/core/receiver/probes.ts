/**
 * Probes: requests to Countersign's own public URL, with a secret path that works once. The
 * receiver responds itself.
 */
import { type ReportedDecision, PLAIN_DECISION } from './responses.ts'
import type { ReceivedRequest } from './request.ts'

interface ProbeArrival {
  readonly method: string | null
  readonly path: string
  readonly body: Uint8Array
  /** Returns the values of a header; `name` is in lower case. */
  header(name: string): readonly string[]
}

export type Probes = ReturnType<typeof createProbes>
export type Probe = ReturnType<Probes['expect']>
const PROBE_PATH = '/.countersign/'
const NAME_BYTES = 16

export function createProbes(randomBytes: (count: number) => Uint8Array) {
  const expected = new Map<string, { answer: string; arrived: ProbeArrival | null }>()
  const name = () => Buffer.from(randomBytes(NAME_BYTES)).toString('hex')
  return {
    expect() {
      const own = name()
      const entry: { answer: string; arrived: ProbeArrival | null } = {
        answer: name(),
        arrived: null,
      }
      expected.set(own, entry)
      return {
        path: `${PROBE_PATH}${own}`,
        answer: entry.answer,
        arrived: () => entry.arrived,
        forget: () => void expected.delete(own),
      }
    },
    answerTo({ path, method, headers, body }: ReceivedRequest): ReportedDecision | null {
      // Called for each request.
      if (expected.size === 0 || path === null) return null
      const at = path.lastIndexOf(PROBE_PATH)
      if (at === -1) return null
      const own = path.slice(at + PROBE_PATH.length, at + PROBE_PATH.length + NAME_BYTES * 2)
      const entry = expected.get(own)
      if (entry === undefined) return null
      expected.delete(own)
      entry.arrived = {
        method,
        path,
        body: body.kept,
        header: (wanted) =>
          headers.flatMap(([header, value]) => (header.toLowerCase() === wanted ? [value] : [])),
      }
      return {
        ...PLAIN_DECISION,
        headers: [['Content-Type', 'text/plain']],
        body: entry.answer,
        onAnswered: () => undefined,
      }
    },
  }
}
