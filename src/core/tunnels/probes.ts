/**
 * Requests that this program sends to its own public address, known by a name that is good for one time. The receiver answers them
 * itself and stores nothing: they are no deliveries, and nobody else can make one, since the name is not to be guessed and is
 * forgotten with the first use.
 */
import type { Answering, ReceivedRequest } from '../receiver/exchange.ts'
import type { Intake } from '../receiver/intake.ts'

export interface ProbeArrival {
  readonly method: string | null
  readonly path: string
  readonly body: Uint8Array
  /** Values of a header of this name, in lower case. */
  header(name: string): readonly string[]
}

export interface Probe {
  /** The last part of its path. */
  readonly path: string
  /** What the receiver answers with: only what has come from here knows it. */
  readonly answer: string
  /** What arrived; null where nothing has. */
  arrived(): ProbeArrival | null
  /** Nothing is expected any more. */
  forget(): void
}

export interface Probes {
  expect(): Probe
  /** The answer to a request that is a probe; null for every other. */
  answerTo(request: ReceivedRequest): Answering | null
}

const PLACE = '/.countersign/'
const NAME_BYTES = 16

export function createProbes(randomBytes: (count: number) => Uint8Array): Probes {
  const expected = new Map<string, { answer: string; arrived: ProbeArrival | null }>()
  const name = () => Buffer.from(randomBytes(NAME_BYTES)).toString('hex')
  return {
    expect() {
      const own = name()
      const entry: { answer: string; arrived: ProbeArrival | null } = { answer: name(), arrived: null }
      expected.set(own, entry)
      return {
        path: `${PLACE}${own}`,
        answer: entry.answer,
        arrived: () => entry.arrived,
        forget: () => {
          expected.delete(own)
        },
      }
    },
    answerTo({ path, method, headers, body }) {
      // Asked for each request that comes: nothing is looked at while no probe is under way.
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
        header: (wanted) => headers.flatMap(([header, value]) => (header.toLowerCase() === wanted ? [value] : [])),
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

/** An intake that leaves probes out: they are answered, also while capture pauses, and everything else goes its way. */
export function withoutProbes(intake: Intake, probes: Pick<Probes, 'answerTo'>): Intake {
  return {
    ...intake,
    take(request) {
      const answer = probes.answerTo(request)
      return answer === null ? intake.take(request) : Promise.resolve(answer)
    },
  }
}
