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
  header(lowerName: string): readonly string[]
}

export type Probes = ReturnType<typeof createProbes>
export type Probe = ReturnType<Probes['expect']>
const PROBE_PATH = '/.countersign/'
/** Random bytes of a name or answer, which is hexadecimal. */
const NAME_BYTES = 16

/** Probe that is expected, and the secret text to answer it with. */
interface ExpectedProbe {
  readonly answer: string
  arrived: ProbeArrival | null
}

export function createProbes(randomBytes: (count: number) => Uint8Array) {
  const expectedProbes = new Map<string, ExpectedProbe>()
  const randomName = () => Buffer.from(randomBytes(NAME_BYTES)).toString('hex')
  return {
    expect() {
      const name = randomName()
      const probe: ExpectedProbe = { answer: randomName(), arrived: null }
      expectedProbes.set(name, probe)
      return {
        path: `${PROBE_PATH}${name}`,
        answer: probe.answer,
        arrived: () => probe.arrived,
        forget: () => void expectedProbes.delete(name),
      }
    },
    answerTo({ path, method, headers, body }: ReceivedRequest): ReportedDecision | null {
      // Called for each request, mostly without a probe.
      if (expectedProbes.size === 0 || path === null) return null
      const start = path.lastIndexOf(PROBE_PATH)
      if (start === -1) return null
      const nameStart = start + PROBE_PATH.length
      const name = path.slice(nameStart, nameStart + NAME_BYTES * 2)
      const probe = expectedProbes.get(name)
      if (probe === undefined) return null
      expectedProbes.delete(name)
      probe.arrived = {
        method,
        path,
        body: body.kept,
        header: (lowerName) =>
          headers.flatMap(([header, value]) => (header.toLowerCase() === lowerName ? [value] : [])),
      }
      return {
        ...PLAIN_DECISION,
        headers: [['Content-Type', 'text/plain']],
        body: probe.answer,
        onAnswered: () => undefined,
      }
    },
  }
}
