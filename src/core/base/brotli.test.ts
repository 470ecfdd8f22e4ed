import { expect, test } from 'vitest'
import { brotliWeakness } from './brotli.ts'

test.each(['1.2.1', '1.3.0', '2.0.0', '1.1.1', '1.0.10'])('Brotli %s is patched', (version) => {
  expect(brotliWeakness(version)).toBe(null)
})

test.each(['1.2.0', '1.1.0', '1.0.9', '', 'x.y'])('Brotli "%s" isn\'t decoded', (version) => {
  expect(brotliWeakness(version)).toMatch(/^br isn't decoded, .*CVE-2026-111497/)
})
