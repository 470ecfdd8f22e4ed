/** Creates a certificate in a separate process: tests with browser types can't import the core. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface TestTls {
  readonly caPem: string
  readonly leaf: { readonly key: string; readonly cert: string }
}

export function makeTestTlsApart(): TestTls {
  const script = fileURLToPath(new URL('print-tls.ts', import.meta.url))
  return JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' })) as TestTls
}
