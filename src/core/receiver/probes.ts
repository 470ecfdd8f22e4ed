/**
 * Probes: requests that Countersign sends to its own public URL, with a path that works once. The receiver responds itself and
 * stores nothing. No one else can send one, because the path can't be guessed and is forgotten after its first use.
 */
import type { Answering, ReceivedRequest } from './exchange.ts'
import type { Intake } from './intake.ts'

export interface ProbeArrival {
  readonly method: string | null
  readonly path: string
  readonly body: Uint8Array
  /** Values of the header with this lower-case name. */
  header(name: string): readonly string[]
}

export interface Probe {
  /** The last part of its path. */
  readonly path: string
  /** The receiver's response, which no one else knows. */
  readonly answer: string
  /** The probe as it arrived; null if it hasn't. */
  arrived(): ProbeArrival | null
  /** Stops expecting the probe. */
  forget(): void
}

export type Probes = ReturnType<typeof createProbes>

const PLACE = '/.countersign/'
const NAME_BYTES = 16

export function createProbes(randomBytes: (count: number) => Uint8Array) {
  const expected = new Map<string, { answer: string; arrived: ProbeArrival | null }>()
  const name = () => Buffer.from(randomBytes(NAME_BYTES)).toString('hex')
  return {
    expect(): Probe {
      const own = name()
      const entry: { answer: string; arrived: ProbeArrival | null } = {
        answer: name(),
        arrived: null,
      }
      expected.set(own, entry)
      return {
        path: `${PLACE}${own}`,
        answer: entry.answer,
        arrived: () => entry.arrived,
        forget: () => expected.delete(own),
      }
    },
    /** The response to a request that is a probe; null for all others. */
    answerTo({ path, method, headers, body }: ReceivedRequest): Answering | null {
      // Called for each request. Checks nothing while no probe is expected.
      if (expected.size === 0 || path === null) return null
      const at = path.lastIndexOf(PLACE)
      if (at === -1) return null
      const own = path.slice(at + PLACE.length, at + PLACE.length + NAME_BYTES * 2)
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
        status: 200,
        headers: [['Content-Type', 'text/plain']],
        body: entry.answer,
        delayMs: 0,
        drop: false,
        onAnswered: () => undefined,
      }
    },
  }
}

/** An intake that responds to probes, even while capture is paused, and passes everything else through. */
export function withoutProbes(intake: Intake, probes: Pick<Probes, 'answerTo'>): Intake {
  return {
    ...intake,
    take(request) {
      const answer = probes.answerTo(request)
      return answer === null ? intake.take(request) : Promise.resolve(answer)
    },
  }
}
