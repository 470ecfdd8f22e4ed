import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { fieldOrder } from '../../../shared/service/payload-schemas.ts'
import { pathText } from '../../../shared/body/json-path.ts'
import { childOf, JsonNode, nodesOf, stepsOf } from '../../../shared/json/tree.ts'
import {
  annotate,
  MOST_NODES,
  noAnnotations,
  nodeAt,
  initialExpansion,
  treeOf,
  treeRows,
  withAncestorsOpen,
  withOpen,
  type JsonTree,
  type TreeRow,
} from './json-tree.ts'

function tree(text: string): JsonTree {
  const made = treeOf(text, false)
  if (made === null) throw new Error('not JSON')
  return made
}

const closed: ReadonlySet<number> = new Set()
const allOpen = ({ root }: JsonTree) => withOpen(closed, root, true, true)

/** Returns the rows as text: each value's path, or an extra's, with `?` if it is missing. */
function drawn(rows: readonly TreeRow[]): string[] {
  return rows.map((row) =>
    row instanceof JsonNode
      ? pathText(stepsOf(row))
      : `${row.missing === null ? '!' : '?'}${row.note.path}`,
  )
}

describe('the tree', () => {
  const text = '{"a":10.00,"a":[1,{"b c":null}],"\\u0064":{},"e":"x"}'

  test('contains every value in document order, as sent', () => {
    const made = tree(text)
    expect(drawn(treeRows(made.root, allOpen(made), noAnnotations))).toEqual([
      '$',
      'a',
      'a',
      'a[0]',
      'a[1]',
      '$.a[1]["b c"]',
      'd',
      'e',
    ])
    const [first, second] = made.root.children
    expect([first?.raw, second?.raw]).toEqual(['10.00', '[1,{"b c":null}]'])
    expect([...made.repeated]).toEqual([first, second])
  })

  test('finds a value by path (the last of duplicate names) and by position', () => {
    const { root } = tree(text)
    const last = childOf(root, 'a')
    expect(last?.place).toBe(1)
    expect(childOf(last, 1)?.raw).toBe('{"b c":null}')
    expect(childOf(root, 'nothing')).toBe(null)
    expect(nodeAt(root, text.indexOf('null')).name).toBe('b c')
    expect(nodeAt(root, text.indexOf('"e"') + 1).name).toBe('e')
  })

  test("doesn't exist for other text, and covers the beginning of a cut one", () => {
    expect(treeOf('{"a":1', false)).toBe(null)
    expect(treeOf('{"a":1}x', false)).toBe(null)
    expect(treeOf('', true)).toBe(null)
    const cut = treeOf('{"a":[1,2,"thr', true)
    expect(cut && [...nodesOf(cut.root)].map(({ raw }) => raw).slice(2)).toEqual(['1', '2', '"thr'])
    expect(cut && nodeAt(cut.root, 11)).toMatchObject({ kind: 'string', string: 'thr' })
  })

  test('handles a million levels and a million fields, up to its maximum', () => {
    const deep = tree('['.repeat(1_000_000) + ']'.repeat(1_000_000))
    expect(deep.isPartial).toBe(true)
    const { root: wide } = tree(`[${'1,'.repeat(999_999)}1]`)
    expect(wide.children).toHaveLength(MOST_NODES - 1)
    expect(treeRows(wide, initialExpansion(wide), noAnnotations)).toHaveLength(MOST_NODES)
    expect(treeRows(deep.root, initialExpansion(deep.root), noAnnotations).length).toBeLessThan(400)
    expect(treeRows(deep.root, allOpen(deep), noAnnotations)).toHaveLength(MOST_NODES)
  })

  property.prop([fc.jsonValue({ maxDepth: 4 })])(
    'fully expanded, contains the values that a parser finds',
    (value) => {
      const json = JSON.stringify(value)
      const nodes = [...nodesOf(tree(json).root)]
      const count = (one: unknown): number =>
        typeof one === 'object' && one !== null
          ? Object.values(one).reduce((sum: number, member) => sum + count(member), 1)
          : 1
      expect(nodes).toHaveLength(count(JSON.parse(json)))
      for (const node of nodes) {
        const found = stepsOf(node).reduce<unknown>(
          (at, step) => (at as Record<PropertyKey, unknown>)[step as string | number],
          JSON.parse(json),
        )
        expect(JSON.parse(node.raw)).toEqual(found)
      }
    },
  )
})

const text = '{"a":{"b":{"c":1}},"d":[1,2]}'

test('collapsing hides the content; finding something inside expands it', () => {
  const { root } = tree(text)
  const folded = withOpen(closed, root, true)
  expect(drawn(treeRows(root, folded, noAnnotations))).toEqual(['$', 'a', 'd'])
  const found = withAncestorsOpen(folded, nodeAt(root, text.indexOf('"c"')))
  expect(drawn(treeRows(root, found, noAnnotations))).toEqual(['$', 'a', 'a.b', 'a.b.c', 'd'])
})

describe('findings in the tree', () => {
  const text = '{"id":"x","card":{"id":1,"scheme":"visa"},"currency":"GBP"}'
  const note = (path: string) => ({ path, message: path, section: '2.6' })

  test("appear below their value; a missing field appears in the spec's position", () => {
    const made = tree(text)
    const annotations = annotate(
      made.root,
      {
        failures: [note('card.lastNumbers'), note('amount'), note('programId')],
        findings: [note('card.scheme'), note('')],
      },
      (steps) => fieldOrder('transaction.auth', steps),
    )
    expect(drawn(treeRows(made.root, allOpen(made), annotations))).toEqual([
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
    const annotations = annotate(made.root, { failures: [note('card.id')], findings: [] }, () => [])
    const folded = withOpen(closed, made.root, true)
    expect(drawn(treeRows(made.root, folded, annotations))).toEqual(['$', 'id', 'card', 'currency'])
  })
})
