/**
 * Time to diagnose one invalid signature in the product's own thread, from request to result. The
 * worst case is a signature without explanation, because everything is tried. Processor time shows
 * the cost on an idle computer.
 */
import { randomBytes } from 'node:crypto'
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'
import type {
  DiagnosisInput,
  KnownSecret,
  KnownUrl,
} from '../../src/core/signature/diagnosis/diagnosis-input.ts'
import { createDiagnosisService } from '../../src/core/signature/diagnosis-service.ts'
import { secretKey } from '../../src/core/signature/sign.ts'
import { measureStoredCauses } from './diagnosis-stored.ts'

export const name = 'diagnosis'

const ROUNDS = 60
const WARM_UP = 10
const BAR_MS = 50
const URL_SIGNED = 'https://hooks.example.test/offers?tenant=7'
const TIMESTAMP = '1763700000123'
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

function bodyOf(bytes: number): Buffer {
  const items: unknown[] = []
  const transaction = {
    id: '0b0f7c52-6d4e-4f0c-9a44-2f1de1c7a111',
    amount: 12.5,
    brand: { name: 'Café Zoë' },
    items,
  }
  while (Buffer.byteLength(JSON.stringify(transaction)) < bytes)
    items.push({ index: items.length, price: 9.99, name: 'Fish & Chips' })
  return Buffer.from(JSON.stringify(transaction))
}

function inputOf(body: Uint8Array, hooks: number): DiagnosisInput {
  const numbers = Array.from({ length: hooks }, (_, index) => index)
  return {
    body,
    url: URL_SIGNED,
    timestamp: TIMESTAMP,
    received: '',
    key: secretKey(SECRET),
    signer: 'service',
    otherBodies: [],
    otherSecrets: numbers.map((index): KnownSecret => ({
      kind: 'other-hook',
      owner: `hook ${index}`,
      key: secretKey(`other ${index}`),
    })),
    otherUrls: numbers.map((index): KnownUrl => ({
      kind: 'other-hook',
      url: `https://hooks.example.test/${index}`,
    })),
    otherTimestamps: [
      { kind: 'receipt', text: '2025-11-21T04:40:07.500Z', where: 'the time of receipt' },
    ],
  }
}

const cases: readonly (readonly [bytes: number, hooks: number])[] = [
  [1_100, 1],
  [1_100, 20],
  [16_000, 20],
]

export async function run({ progress }: RunOptions): Promise<Table[]> {
  const service = createDiagnosisService(
    new URL('../../src/core/signature/diagnosis-thread.ts', import.meta.url),
  )
  try {
    const rows: (string | number | number[])[][] = []
    for (const [bytes, hooks] of cases) {
      progress(`${bytes} bytes, ${hooks} other hooks`)
      const input = inputOf(bodyOf(bytes), hooks)
      const times: number[] = []
      const processor: number[] = []
      let explained = 0
      for (let round = 0; round < WARM_UP + ROUNDS; round++) {
        const received = randomBytes(32).toString('base64')
        const startedAt = performance.now()
        const used = process.cpuUsage()
        const found = await service.diagnose([{ ...input, received }], 'several')
        if (round < WARM_UP) continue
        times.push(performance.now() - startedAt)
        const { user, system } = process.cpuUsage(used)
        processor.push((user + system) / 1_000)
        if (found !== null) explained++
      }
      const sorted = times.toSorted((a, b) => a - b)
      rows.push([
        bytes,
        hooks,
        times,
        sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN,
        processor,
        BAR_MS,
        `${explained} of ${ROUNDS}`,
      ])
    }
    return [
      await measureStoredCauses(progress),
      {
        title: `Diagnosis of a signature that nothing explains, ${ROUNDS} of each`,
        columns: [
          'body (bytes)',
          'other hooks',
          'median (ms)',
          'p95 (ms)',
          'processor (ms)',
          'bar (ms)',
          'explained',
        ],
        rows,
      },
    ]
  } finally {
    await service.close()
  }
}
