/** A sandbox for tests: a free port, in-memory storage, a paused clock. */
import { createHash } from 'node:crypto'
import { createSandbox, type Sandbox } from '../../src/core/sandbox/sandbox.ts'
import { memoryStorage } from '../../src/core/sandbox/records.ts'
import { type SandboxDeps } from '../../src/core/sandbox/service.ts'
import { Admission } from '../../src/core/outgoing/admit.ts'
import { createGuard } from '../../src/core/outgoing/wire/guarded-sender.ts'
import { resolveWithSystem } from '../../src/core/outgoing/wire/target-policy.ts'
import { systemClock } from '../../src/core/base/system-clock.ts'
import { createManualClock } from './manual-clock.ts'
import type { TestTls } from './tls.ts'

export const TEST_ACCOUNTS = [
  { environment: 'sandbox-test', mode: 'test', publicKey: 'pk_test_1', secretKey: 'sk_test_1' },
  { environment: 'sandbox-live', mode: 'live', publicKey: 'pk_live_1', secretKey: 'sk_live_1' },
] as const

export const bugs: unknown[] = []

export function testAdmission(
  { caPem }: Pick<TestTls, 'caPem'>,
  resolve = resolveWithSystem,
): Admission {
  const guard = createGuard({ clock: systemClock, resolve, caPem, ownPorts: () => new Set() })
  return new Admission({ guard, known: null })
}

export function startTestSandbox(
  tls: TestTls,
  overrides: Partial<SandboxDeps> = {},
): Promise<Sandbox> {
  let id = 0
  let drawn = 0
  return createSandbox({
    clock: createManualClock(),
    ids: { next: () => `id-${String(++id).padStart(4, '0')}` },
    randomBytes: (count) =>
      createHash('shake256', { outputLength: count }).update(String(++drawn)).digest(),
    log: {
      info: () => {},
      warn: () => {},
      bug: (error) => {
        bugs.push(error)
        return 'ref'
      },
    },
    tls: { certificate: () => tls.leaf, caPem: tls.caPem },
    host: '127.0.0.1',
    port: 0,
    prefixOf: () => 'service',
    accounts: TEST_ACCOUNTS,
    storage: memoryStorage(),
    admission: testAdmission(tls),
    ...overrides,
  })
}
