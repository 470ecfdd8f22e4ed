/**
 * Promise 4, in the code: nothing turns text into markup or code. `test/e2e/body-hostile.spec.ts`
 * checks it in Chromium.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { malformed, naughty, oddBytes, wellFormed } from '../fixtures/payloads/corpus.ts'

const sources = fileURLToPath(new URL('../../src', import.meta.url))

/** Ways to turn a string into markup, a script or a style. */
const sinks =
  /dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b|insertAdjacentHTML|setHTMLUnsafe|document\.write|\bsrcdoc\b|srcDoc=|\beval\(|new Function\(|createContextualFragment|DOMParser|[jJ]avascript:|setTimeout\(\s*['"`]/

test('no file uses a sink for markup or code', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:tsx?|html)$/.test(name),
  )
  expect(files.length).toBeGreaterThan(400)
  const found = files.filter(
    (name) => !/\.test\.tsx?$/.test(name) && sinks.test(readFileSync(join(sources, name), 'utf8')),
  )
  expect(found).toEqual([])
})

test('the corpus of hostile payloads is as large as promised', () => {
  expect(naughty.length).toBeGreaterThanOrEqual(200)
  expect(wellFormed.length + malformed.length + oddBytes.length).toBeGreaterThanOrEqual(150)
  expect(sinks.test('element.innerHTML = body')).toBe(true)
})
