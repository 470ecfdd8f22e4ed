/**
 * Laws of the shrinker for any JSON and any handler: the result still fails, and doesn't without
 * any one of its nodes.
 */
import { hash } from 'node:crypto'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test as example } from 'vitest'
import { nodesOf, readJson } from '../../shared/json/tree.ts'
import { samplePayloads } from '../../../test/support/sample-payloads.ts'
import { countNodes, fieldsOf, shrinkJson } from './shrink-json.ts'
import { compactJson, withoutNodes } from './json-cuts.ts'
import { ddminItems, shrinkBytes } from './delta-debugging.ts'

const silent = { event: null, onPhase: () => undefined }

function read(text: string) {
  const root = readJson(text)
  if (root === null) throw new Error(`Not JSON: ${text}`)
  return root
}

const space = fc.constantFrom('', '', ' ', '\n  ', '\t')
const scalar = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '12345678901234567890.10',
    '1e400',
    'true',
    'false',
    'null',
    String.raw`"é\/"`,
    '"a,b:{}[]"',
  ),
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
)
/** JSON texts with whitespace, duplicate keys, and numbers and strings in every spelling. */
const json = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    tie('object'),
    tie('array'),
  ),
  object: fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd"', ''), tie('value'), space), {
      maxLength: 5,
    })
    .map(
      (members) =>
        `{${members.map(([name, value, gap]) => `${gap}${JSON.stringify(name)}${gap}:${gap}${value}${gap}`).join(',')}}`,
    ),
  array: fc
    .array(fc.tuple(tie('value'), space), { maxLength: 5 })
    .map((items) => `[${items.map(([value, gap]) => gap + value + gap).join(',')}]`),
})).value

/** Creates a handler that fails if the text contains all of some pieces, in any order. */
function needing(pieces: readonly string[]): (candidate: string) => boolean {
  return (candidate) => {
    const wanted = [...pieces]
    for (const { raw } of nodesOf(read(candidate))) {
      const at = wanted.indexOf(raw)
      if (at !== -1) wanted.splice(at, 1)
    }
    return wanted.length === 0
  }
}

/**
 * Creates a handler without logic: it fails on the whole body and on a third of everything else.
 */
function capricious(text: string, salt: number): (candidate: string) => boolean {
  return (candidate) => candidate === text || hash('sha256', `${salt}${candidate}`, 'hex') < '5'
}

const handler = (text: string) => {
  const pieces = [...nodesOf(read(text))].map(({ raw }) => raw)
  return fc.oneof(
    fc.subarray(pieces, { maxLength: Math.min(3, pieces.length) }).map(needing),
    fc.nat().map((salt) => capricious(text, salt)),
  )
}

const cases = json.chain((text) => fc.tuple(fc.constant(text), handler(text)))

describe('JSON', () => {
  property.prop([cases])('still fails, is JSON, and needs each node', async ([text, fails]) => {
    expect(fails(text)).toBe(true)
    let asked = 0
    const smallest = await shrinkJson(
      text,
      (candidate) => {
        asked++
        // Everything sent is JSON.
        read(candidate)
        return Promise.resolve(fails(candidate))
      },
      silent,
    )
    expect(fails(smallest)).toBe(true)
    for (const node of nodesOf(read(smallest)))
      if (node.parent !== null) expect(fails(withoutNodes(smallest, [node]))).toBe(false)
    expect(countNodes(smallest)).toBeLessThanOrEqual(countNodes(text))
    expect(asked).toBeLessThan(2_000)
  })

  property.prop([json, fc.nat(), fc.nat()])(
    'cutting nodes leaves the rest as sent',
    (text, a, b) => {
      const nodes = [...nodesOf(read(text))].filter(({ parent }) => parent !== null)
      if (nodes.length === 0) return
      const gone = [nodes[a % nodes.length]!, nodes[b % nodes.length]!]
      const left = withoutNodes(text, gone)
      for (const { children, raw } of nodesOf(read(left)))
        if (children.length === 0 && raw !== '{}' && raw !== '[]') expect(text).toContain(raw)
      expect(JSON.stringify(JSON.parse(compactJson(left)))).toBe(JSON.stringify(JSON.parse(left)))
    },
  )

  example('numbers, escapes and double keys of what matters stay as they were sent', async () => {
    const text = String.raw`{ "id": "5f", "amount": 12345678901234567890.10, "x": {"n": "Jos\u00e9 & co", "n": 1}, "list": [1, 2, {"k": null}] }`
    const fails = (candidate: string) =>
      Promise.resolve(
        candidate.includes('12345678901234567890.10') && candidate.includes(String.raw`\u00e9`),
      )
    expect(await shrinkJson(text, fails, silent)).toBe(
      String.raw`{"amount":12345678901234567890.10,"x":{"n":"\u00e9"}}`,
    )
    expect(
      fieldsOf(
        String.raw`{"amount":12345678901234567890.10,"x":{"n":"\u00e9"},"at":"","e":{}}`,
        null,
      ),
    ).toEqual([
      { path: 'amount', value: '12345678901234567890.10', needed: 'value' },
      { path: 'x.n', value: String.raw`"\u00e9"`, needed: 'value' },
      { path: 'at', value: '""', needed: 'presence' },
      { path: 'e', value: '{}', needed: 'presence' },
    ])
  })

  example('values stay valid for the event, unless their error was there before', async () => {
    const payload = samplePayloads['card.linked']
    const needs = (name: string) => (candidate: string) =>
      Promise.resolve(candidate.includes(`"${name}":`))
    const options = { ...silent, event: 'card.linked' }
    const text = JSON.stringify(payload)
    const id = `{"id":${JSON.stringify(payload.id)}}`
    expect(await shrinkJson(text, needs('id'), options)).toBe(id)
    expect(fieldsOf(id, 'card.linked')).toMatchObject([{ path: 'id', needed: 'schema' }])
    expect(await shrinkJson(text, needs('id'), silent)).toBe('{"id":""}')
    const broken = JSON.stringify({ ...payload, id: 'not a UUID' })
    expect(await shrinkJson(broken, needs('id'), options)).toBe('{"id":""}')
  })

  example('white space stays where the handler fails over it', async () => {
    const fails = (candidate: string) => Promise.resolve(candidate.includes('": '))
    expect(await shrinkJson('{ "a": 1, "b":2 }', fails, silent)).toBe('{ "a": 0 }')
  })
})

property.prop([
  fc.uniqueArray(fc.nat(200), { maxLength: 40 }),
  fc.array(fc.nat(200), { maxLength: 4 }),
])('ddmin keeps exactly the needed items', async (all, wanted) => {
  const needed = wanted.filter((one) => all.includes(one))
  const kept = await ddminItems(all, (some) =>
    Promise.resolve(needed.every((one) => some.includes(one))),
  )
  expect(kept).toEqual(all.filter((one) => needed.includes(one)))
})

property.prop([fc.uint8Array({ maxLength: 60 })])(
  'bytes are removed until none can be',
  async (bytes) => {
    const sum = (some: Uint8Array) => some.reduce((a, b) => a + b, 0)
    const limit = Math.floor(sum(bytes) / 2)
    const fails = (some: Uint8Array) => sum(some) >= limit
    const smallest = await shrinkBytes(bytes, (some) => Promise.resolve(fails(some)))
    expect(fails(smallest)).toBe(true)
    for (let index = 0; index < smallest.length; index++)
      expect(fails(smallest.filter((_, at) => at !== index))).toBe(false)
  },
)
