import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { fieldOrder } from '../../../shared/service/payload-schemas.ts'
import { pathText } from '../../../shared/body/json-path.ts'
import {
  childAt,
  MOST_NODES,
  nodeAt,
  nodeKinds,
  pathOf,
  treeOf,
  type JsonTree,
} from './json-tree.ts'
import {
  annotate,
  noAnnotations,
  openAtFirst,
  treeRows,
  withAncestorsOpen,
  withOpen,
} from './json-tree.ts'

function tree(text: string): JsonTree {
  const made = treeOf(text, false)
  if (made === null) throw new Error('not JSON')
  return made
}

/** The rows as text: each value's text, or the message of an extra. */
function drawn(text: string, of: JsonTree, rows: Int32Array): string[] {
  return Array.from(rows, (row) =>
    row < 0 ? `extra ${-1 - row}` : pathText(pathOf(text, of, row)),
  )
}

describe('the tree', () => {
  const text = '{"a":10.00,"a":[1,{"b c":null}],"\\u0064":{},"e":"x"}'

  test('contains every value in document order, as sent', () => {
    const made = tree(text)
    expect(
      drawn(text, made, treeRows(made, new Uint8Array(made.count).fill(1), noAnnotations)),
    ).toEqual(['$', 'a', 'a', 'a[0]', 'a[1]', '$.a[1]["b c"]', 'd', 'e'])
    expect(text.slice(made.starts[1], made.ends[1])).toBe('10.00')
    expect(text.slice(made.starts[2], made.ends[2])).toBe('[1,{"b c":null}]')
    expect([...made.repeated]).toEqual([0, 1, 1, 0, 0, 0, 0, 0])
    expect([...made.sizes]).toEqual([4, 0, 2, 0, 1, 0, 0, 0])
  })

  test('finds a value by path (the last of duplicate names) and by position', () => {
    const made = tree(text)
    expect(childAt(text, made, 0, 'a')).toBe(2)
    expect(childAt(text, made, 2, 1)).toBe(4)
    expect(childAt(text, made, 0, 'nothing')).toBe(null)
    expect(nodeAt(made, text.indexOf('null'))).toBe(5)
    expect(nodeAt(made, text.indexOf('"e"') + 1)).toBe(7)
  })

  test("doesn't exist for other text, and covers the beginning of a cut one", () => {
    expect(treeOf('{"a":1', false)).toBe(null)
    expect(treeOf('{"a":1}x', false)).toBe(null)
    expect(treeOf('', true)).toBe(null)
    const cut = treeOf('{"a":[1,2,"thr', true)
    expect(cut?.count).toBe(5)
    expect(cut?.kinds[4]).toBe(nodeKinds.string)
  })

  test('handles a million levels and a million fields, up to its maximum', () => {
    const deep = tree('['.repeat(1_000_000) + ']'.repeat(1_000_000))
    expect(deep.count).toBe(MOST_NODES)
    expect(deep.partial).toBe(true)
    expect(deep.afters[0]).toBe(MOST_NODES)
    const wide = tree(`[${'1,'.repeat(999_999)}1]`)
    expect(wide.sizes[0]).toBe(MOST_NODES - 1)
    expect(treeRows(wide, openAtFirst(wide), noAnnotations)).toHaveLength(MOST_NODES)
    expect(treeRows(deep, openAtFirst(deep), noAnnotations).length).toBeLessThan(400)
    const all = withOpen(deep, openAtFirst(deep), 0, true, true)
    expect(treeRows(deep, all, noAnnotations)).toHaveLength(MOST_NODES)
  })

  property.prop([fc.jsonValue({ maxDepth: 4 })])(
    'fully expanded, contains the values that a parser finds',
    (value) => {
      const json = JSON.stringify(value)
      const made = tree(json)
      const count = (one: unknown): number =>
        typeof one === 'object' && one !== null
          ? Object.values(one).reduce((sum: number, member) => sum + count(member), 1)
          : 1
      expect(made.count).toBe(count(JSON.parse(json)))
      for (let node = 0; node < made.count; node++) {
        const found = pathOf(json, made, node).reduce<unknown>(
          (at, step) => (at as Record<PropertyKey, unknown>)[step as string | number],
          JSON.parse(json),
        )
        expect(JSON.parse(json.slice(made.starts[node], made.ends[node]))).toEqual(found)
      }
    },
  )
})

const text = '{"a":{"b":{"c":1}},"d":[1,2]}'

test('collapsing hides the content; finding something inside expands it', () => {
  const made = tree(text)
  const folded = withOpen(made, new Uint8Array(made.count), 0, true)
  expect(drawn(text, made, treeRows(made, folded, noAnnotations))).toEqual(['$', 'a', 'd'])
  const found = withAncestorsOpen(made, folded, nodeAt(made, text.indexOf('"c"')))
  expect(drawn(text, made, treeRows(made, found, noAnnotations))).toEqual([
    '$',
    'a',
    'a.b',
    'a.b.c',
    'd',
  ])
})

describe('findings in the tree', () => {
  const text = '{"id":"x","card":{"id":1,"scheme":"visa"},"currency":"GBP"}'
  const note = (path: string) => ({ path, message: path, section: '2.6' })

  test("appear below their value; a missing field appears in the spec's position", () => {
    const made = tree(text)
    const annotations = annotate(
      text,
      made,
      {
        failures: [note('card.lastNumbers'), note('amount'), note('programId')],
        findings: [note('card.scheme'), note('')],
      },
      (steps) => fieldOrder('transaction.auth', steps),
    )
    const open = new Uint8Array(made.count).fill(1)
    const lines = Array.from(treeRows(made, open, annotations), (row) =>
      row >= 0
        ? pathText(pathOf(text, made, row))
        : `${annotations.extras[-1 - row]?.missing === null ? '!' : '?'}${annotations.extras[-1 - row]?.note.path ?? ''}`,
    )
    expect(lines).toEqual([
      '$',
      '!',
      'id',
      '?amount',
      '?programId',
      'card',
      'card.id',
      '?card.lastNumbers',
      'card.scheme',
      '!card.scheme',
      'currency',
    ])
  })

  test('are hidden with their parent', () => {
    const made = tree(text)
    const annotations = annotate(
      text,
      made,
      { failures: [note('card.id')], findings: [] },
      () => [],
    )
    const folded = withOpen(made, new Uint8Array(made.count), 0, true)
    expect(drawn(text, made, treeRows(made, folded, annotations))).toEqual([
      '$',
      'id',
      'card',
      'currency',
    ])
  })
})
