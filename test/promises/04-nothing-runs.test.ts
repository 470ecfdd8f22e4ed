/**
 * Promise 4, in the code: nothing in the window turns text into markup or code. `test/e2e/body-hostile.spec.ts` checks it in
 * Chromium.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { malformed, naughty, oddBytes, wellFormed } from '../fixtures/payloads/corpus.ts'

const renderer = fileURLToPath(new URL('../../src/renderer', import.meta.url))

/** Ways to turn a string into markup, a script or a style. */
const sinks =
  /dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\bsrcdoc\b|srcDoc=|\beval\(|new Function\(|createContextualFragment|DOMParser|javascript:|setTimeout\(\s*['"`]/i

test('no file of the window uses a sink for markup or code', () => {
  const files = readdirSync(renderer, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:tsx?|html)$/.test(name),
  )
  expect(files.length).toBeGreaterThan(100)
  const found = files.filter(
    (name) => !/\.test\.tsx?$/.test(name) && sinks.test(readFileSync(join(renderer, name), 'utf8')),
  )
  expect(found).toEqual([])
})

test('the corpus of hostile payloads is as large as promised', () => {
  expect(naughty.length).toBeGreaterThanOrEqual(200)
  expect(wellFormed.length + malformed.length + oddBytes.length).toBeGreaterThanOrEqual(150)
  expect(sinks.test('element.innerHTML = body')).toBe(true)
})
