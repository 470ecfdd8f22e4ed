import { fc, test as law } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { compareStructure, compareText, formattedPair } from './compare-bodies.ts'
import { headerRows } from './header-rows.ts'
import { canonicalNumber, isSameNumber } from '../json/number.ts'
import type { JsonNode } from '../json/tree.ts'
import { pathFitsPattern, showPath } from './path-pattern.ts'
import { foldRows } from './fold-rows.ts'
import { createNumberedReader } from './numbered-tree.ts'
import { countSentence, cutCountSentence, isDifference, pieceText } from './rows.ts'
import { nothingVolatile, defaultVolatileFields } from './volatile-fields.ts'
import { diffSequences } from './sequences.ts'
import { diffNodes, type Delta } from './structure.ts'
import { diffWords } from './text-words.ts'
import { writeMarkdown, writeText } from './comparison-export.ts'
import { times } from '../../../test/support/long-form.ts'

function readBoth(left: string, right: string): [JsonNode, JsonNode] {
  const read = createNumberedReader()
  const [one, other] = [read(left), read(right)]
  if (one === null || other === null) throw new Error(`no JSON: ${left} | ${right}`)
  return [one, other]
}

/** Joins a node's tokens without whitespace. */
function compact({ kind, children, raw }: JsonNode): string {
  if (kind === 'array') return `[${children.map(compact).join(',')}]`
  if (kind !== 'object') return raw
  return `{${children.map((child) => `${child.rawName}:${compact(child)}`).join(',')}}`
}

/** Rebuilds the right side from the left side and the difference. */
function applied(node: JsonNode, delta: Delta | null): string {
  if (delta === null) return compact(node)
  if (delta.kind === 'replaced') return compact(delta.right)
  const parts = delta.entries.map((entry, index) => {
    const before = entry.from === null ? undefined : node.children[entry.from]
    const added = delta.right.children[index]
    const value =
      before === undefined
        ? added === undefined
          ? ''
          : compact(added)
        : applied(before, entry.delta)
    return node.kind === 'object' ? `${added?.rawName}:${value}` : value
  })
  return node.kind === 'object' ? `{${parts.join(',')}}` : `[${parts.join(',')}]`
}

const scalars = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    'false',
    '10',
    '10.00',
    '1e1',
    '-0',
    '0',
    '12.5',
    '"a"',
    '"\\u0061"',
    '""',
    '"é"',
  ),
  fc.integer().map(String),
  fc.string().map((text) => JSON.stringify(text)),
)
const names = fc.constantFrom('"id"', '"a"', '"b"', '"\\u0061"', '"amount"', '"x.y"', '"~/"')
/**
 * JSON texts with details that values lose: duplicate names, escapes, numbers in several notations.
 */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('json'), { maxLength: 6 }).map((parts) => `[${parts.join(', ')}]`),
    fc
      .array(fc.tuple(names, tie('json')), { maxLength: 5 })
      .map((parts) => `{${parts.map((part) => part.join(':')).join(' ,')}}`),
  ),
}))

describe('the structural difference', () => {
  law.prop([json])('of a text with itself is empty', (text) => {
    const [left, right] = readBoth(text, ` ${text}\n`)
    expect(diffNodes(left, right)).toBeNull()
    const compared = compareStructure(text, text, nothingVolatile)
    expect(compared).toMatchObject({ outcome: 'json', rows: [] })
  })

  // Long enough for equal values in several notations.
  const items = fc.array(json, { minLength: 20 })
  law.prop([items, items], { numRuns: times(30, 3_000) })(
    'applied to the left side gives the right side, token by token',
    (a, b) => {
      const [left, right] = readBoth(`[${a.join()}]`, `[${b.join()}]`)
      expect(applied(left, diffNodes(left, right))).toBe(compact(right))
    },
  )

  law.prop([fc.uniqueArray(fc.integer(), { maxLength: 30 }), fc.infiniteStream(fc.nat())])(
    'of a row of different items in another order is moves alone, and as few as can be',
    (items, random) => {
      const shuffled = items
        .map((item) => ({ item, at: random.next().value as number }))
        .sort((one, other) => one.at - other.at)
        .map(({ item }) => item)
      const [left, right] = readBoth(JSON.stringify(items), JSON.stringify(shuffled))
      const delta = diffNodes(left, right)
      if (delta === null) {
        expect(shuffled).toEqual(items)
        return
      }
      if (delta.kind !== 'children') throw new Error('replaced')
      expect(delta.removed).toEqual([])
      expect(delta.entries.every((entry) => entry.from !== null && entry.delta === null)).toBe(true)
      const staying = delta.entries
        .filter((entry) => !entry.isMoved)
        .map((entry) => entry.from ?? -1)
      expect(staying).toEqual(staying.toSorted((one, other) => one - other))
      expect(staying.length).toBe(
        longestRisingByForce(delta.entries.map((entry) => entry.from ?? -1)),
      )
    },
  )

  test('an item that moved and changed keeps its identity by its id', () => {
    const left = '[{"id":"a","n":1},{"id":"b","n":2},{"id":"c","n":3}]'
    const right = '[{"id":"c","n":30},{"id":"a","n":1},{"id":"b","n":2}]'
    const compared = compareStructure(left, right, nothingVolatile)
    if (compared.outcome !== 'json') throw new Error('no JSON')
    const differences = compared.rows
      .filter(isDifference)
      .map(({ kind, path, left: a, right: b, note }) => [
        kind,
        path,
        pieceText(a),
        pieceText(b),
        note,
      ])
    expect(differences).toEqual([
      ['moved', '[0]', '…', '…', 'moved from 2 to 0'],
      ['changed', '[0].n', '3', '30', null],
    ])
  })

  test('numbers are compared as sent: another notation counts as reformatted', () => {
    const compared = compareStructure(
      '{"amount":10.00,"tax":1,"name":"\\u0061"}',
      '{"amount":10,"tax":2,"name":"a"}',
      nothingVolatile,
    )
    if (compared.outcome !== 'json') throw new Error('no JSON')
    expect(compared.rows.map(({ kind, path, note }) => [kind, path, note])).toEqual([
      ['form', 'amount', 'same number, different notation'],
      ['changed', 'tax', null],
      ['form', 'name', 'same string, escaped differently'],
    ])
    expect(countSentence(compared.counts)).toBe('1 changed, 2 reformatted')
  })

  test('a field with an empty name is not mistaken for the whole body', () => {
    const compared = compareStructure('{"":1}', '{"":2}', nothingVolatile)
    expect(
      compared.outcome === 'json'
        ? compared.rows.filter(isDifference).map(({ label }) => label)
        : null,
    ).toEqual(['""'])
  })

  test('fields in another order count as reformatted', () => {
    const compared = compareStructure('{"a":1,"b":2}', '{"b":2,"a":1}', nothingVolatile)
    expect(compared).toMatchObject({ counts: { changed: 0, form: 1, moved: 0 } })
  })

  test('duplicate names are compared one by one', () => {
    const compared = compareStructure('{"a":1,"a":2}', '{"a":1,"a":3,"a":4}', nothingVolatile)
    if (compared.outcome !== 'json') throw new Error('no JSON')
    expect(
      compared.rows
        .filter(isDifference)
        .map(({ kind, left, right }) => [kind, pieceText(left), pieceText(right)]),
    ).toEqual([
      ['changed', '2', '3'],
      ['added', '', '4'],
    ])
  })

  test('ignored fields are folded into one line, together with containers that have no other difference', () => {
    const left =
      '{"id":"1","created":"x","amount":1,"card":{"id":"c","scheme":"visa"},"location":{"city":"A","id":"l"},"updated":"x"}'
    const right =
      '{"id":"2","created":"y","amount":2,"card":{"id":"d","scheme":"visa"},"location":{"city":"B","id":"m"},"updated":"y"}'
    const compared = compareStructure(left, right, defaultVolatileFields)
    if (compared.outcome !== 'json') throw new Error('no JSON')
    const folded = foldRows(compared.rows).map(({ kind, path, note }) => [kind, path, note])
    expect(folded).toEqual([
      ['fold', '', '2 ignored: id, created'],
      ['changed', 'amount', null],
      ['fold', '', '1 ignored: card.id'],
      ['open', 'location', null],
      ['changed', 'location.city', null],
      ['fold', '', '1 ignored: location.id'],
      ['fold', '', '1 ignored: updated'],
    ])
  })

  test('unchanged and ignored fields next to each other are one fold, which opens to all of them', () => {
    const left =
      '{"a":1,"id":"1","b":1,"c":2,"updated":"x","d":1,"amount":1,"card":{"e":1,"id":"c"}}'
    const right =
      '{"a":1,"id":"2","b":1,"c":2,"updated":"y","d":1,"amount":2,"card":{"e":1,"id":"d"}}'
    const shown = (...names: string[]) => {
      const compared = compareStructure(left, right, defaultVolatileFields, new Set(names))
      return compared.outcome === 'json' ? foldRows(compared.rows, new Set(names)) : []
    }
    const [fold, amount, last, ...more] = shown()
    expect(fold).toMatchObject({ kind: 'fold', note: '4 unchanged, 2 ignored: id, updated' })
    expect(amount).toMatchObject({ kind: 'changed', path: 'amount' })
    expect(last).toMatchObject({ kind: 'fold', note: '1 ignored: card.id' })
    expect(more).toEqual([])
    expect(shown(...(fold?.opens ?? [])).map(({ kind, label }) => `${kind} ${label}`)).toEqual([
      'same a',
      'changed id',
      'same b',
      'same c',
      'changed updated',
      'same d',
      'changed amount',
      'fold ',
    ])
  })

  test("comparing a hundred thousand levels doesn't overflow the stack", () => {
    const deep = (core: string) => '['.repeat(100_000) + core + ']'.repeat(100_000)
    const compared = compareStructure(deep('1'), deep('2'), nothingVolatile)
    expect(compared).toMatchObject({ outcome: 'json', counts: { changed: 1 } })
  })

  test("a side that isn't JSON is named", () => {
    expect(compareStructure('{"a":1}', '{"a":1', nothingVolatile)).toEqual({
      outcome: 'not-json',
      side: 'right',
    })
    expect(compareStructure('[1,]', 'nope', nothingVolatile)).toEqual({
      outcome: 'not-json',
      side: 'both',
    })
  })
})

describe('more rows than shown', () => {
  const many = (length: number, item: (index: number) => object) =>
    JSON.stringify(Array.from({ length }, (_, index) => item(index)))
  const structure = (left: string, right: string) => {
    const compared = compareStructure(left, right, defaultVolatileFields)
    if (compared.outcome !== 'json') throw new Error('no JSON')
    return compared
  }

  test('counts the shown rows and says that there are more', () => {
    const compared = structure(
      many(25_000, (n) => ({ n })),
      many(25_000, (n) => ({ n: n + 0.5 })),
    )
    expect(compared).toMatchObject({ isCut: true, differs: true })
    expect(cutCountSentence(compared.counts, compared.differs)).toMatch(/^at least [\d,]+ /)
  })

  test('finds a counted difference after any number of ignored ones', () => {
    const id = (prefix: string) => (n: number) => ({ id: `${prefix}${n}`, last: false })
    const left = many(15_000, id('a'))
    const ids = many(15_000, id('b'))
    const ignored = structure(left, ids)
    expect(ignored).toMatchObject({ isCut: true, differs: false })
    expect(cutCountSentence(ignored.counts, false)).toMatch(
      /^No differences \(at least [\d,]+ ignored\)$/,
    )
    const behind = structure(left, ids.replace(/false\}\]$/, 'true}]'))
    expect(behind).toMatchObject({ isCut: true, differs: true, counts: { changed: 0 } })
    expect(cutCountSentence(behind.counts, true)).toMatch(
      /^at least 1 difference, at least [\d,]+ ignored$/,
    )
  })

  test('finds no difference in identical texts', () => {
    const text = 'a line\n'.repeat(25_000)
    expect(compareText(text, text)).toMatchObject({ isCut: true, differs: false })
    expect(compareText(text, text.replaceAll('a', 'b'))).toMatchObject({
      isCut: true,
      differs: true,
    })
  })
})

function longestRisingByForce(values: readonly number[]): number {
  const best = values.map(() => 1)
  values.forEach((value, index) => {
    for (let before = 0; before < index; before++)
      if ((values[before] ?? 0) < value)
        best[index] = Math.max(best[index] ?? 1, (best[before] ?? 0) + 1)
  })
  return Math.max(0, ...best)
}

describe('lines and words', () => {
  test('compares more lines than a function may have arguments', () => {
    const lines = (changed: string) =>
      Array.from({ length: 300_000 }, (_, index) => `${index % 2 === 0 ? changed : ''}${index}`)
    expect(diffSequences(lines('a'), lines('b'))).toHaveLength(450_000)
  })

  const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'dd', ''), { maxLength: 40 })
  law.prop([texts, texts])(
    'the runs of a difference make the right side of the left one',
    (a, b) => {
      const made = diffSequences(a, b).flatMap(({ kind, left, right, count }) =>
        kind === 'removed'
          ? []
          : kind === 'same'
            ? a.slice(left, left + count)
            : b.slice(right, right + count),
      )
      expect(made).toEqual(b)
      const kept = diffSequences(a, b).flatMap(({ kind, left, count }) =>
        kind === 'added' ? [] : a.slice(left, left + count),
      )
      expect(kept).toEqual(a)
      expect(diffSequences(a, a).every(({ kind }) => kind === 'same')).toBe(true)
    },
  )

  law.prop([fc.string(), fc.string()])('the pieces of two texts are the texts', (a, b) => {
    const { left, right } = diffWords(a, b)
    expect([pieceText(left), pieceText(right)]).toEqual([a, b])
  })

  test('JSON is formatted before its lines are compared, every token as sent', () => {
    const compared = compareText('{"a":1,"b":[10.00]}', '{"a":1,"b":[10]}', { formatsJson: true })
    expect(
      compared.rows
        .filter(isDifference)
        .map(({ left, right, numbers }) => [pieceText(left), pieceText(right), numbers]),
    ).toEqual([['    10.00', '    10', [4, 4]]])
    const pair = { left: '{"a":1}', right: 'no' }
    expect(formattedPair(pair)).toEqual(pair)
  })

  test('long unchanged stretches are folded', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
    const changed = lines.with(50, 'other')
    const { rows } = compareText(lines.join('\n'), changed.join('\n'))
    expect(rows.map(({ kind }) => kind)).toEqual([
      'fold',
      'same',
      'same',
      'same',
      'changed',
      'same',
      'same',
      'same',
      'fold',
    ])
    expect(rows[0]?.note).toBe('47 lines unchanged')
  })
})

test('of headers, order, case and repeats are distinguished from values', () => {
  const rows = headerRows(
    [
      ['Host', 'a'],
      ['X-One', '1'],
      ['X-Two', '2'],
      ['x-service-signature', 'AAA'],
      ['Cookie', 'x'],
    ],
    [
      ['host', 'a'],
      ['X-Two', '2'],
      ['X-One', '1'],
      ['x-service-signature', 'BBB'],
      ['X-Two', '3'],
    ],
    defaultVolatileFields,
  )
  expect(rows.map(({ kind, path, note, isIgnored }) => [kind, path, note, isIgnored])).toEqual([
    ['form', 'host', 'was Host', false],
    ['moved', 'X-Two', 'moved from position 3 to 2', false],
    ['same', 'X-One', null, false],
    ['changed', 'x-service-signature', null, true],
    ['added', 'X-Two', 'sent 2 times on this side', false],
    ['removed', 'Cookie', null, false],
  ])
})

describe('numbers and paths', () => {
  law.prop([fc.integer(), fc.integer({ min: 0, max: 12 })])(
    'a number has one value however it is written',
    (number, zeros) => {
      expect(isSameNumber(`${number}`, `${number}.${'0'.repeat(zeros + 1)}`)).toBe(true)
      expect(isSameNumber(`${number}`, `${number}${'0'.repeat(zeros)}e-${zeros}`)).toBe(true)
      expect(isSameNumber(`${number}`, `${number + 1}`)).toBe(false)
    },
  )

  test('values too large or too close for a double are distinguished', () => {
    expect(isSameNumber('9007199254740993', '9007199254740992')).toBe(false)
    expect(isSameNumber('0.1', '0.10000000000000000001')).toBe(false)
    expect(canonicalNumber('1e99999999999999999999')).toBe('1e99999999999999999999')
    expect(canonicalNumber('1e00000000000000000005')).toBe('100000')
    expect(canonicalNumber('12.50e-3')).toBe('125e-4')
    expect(canonicalNumber('-0.00')).toBe('0')
  })

  test('patterns match step by step', () => {
    expect(pathFitsPattern(['card', 'id'], '**.id')).toBe(true)
    expect(pathFitsPattern(['id'], '**.id')).toBe(true)
    expect(pathFitsPattern(['idle'], '**.id')).toBe(false)
    expect(pathFitsPattern(['identifiers', 'visaAuthCode'], 'identifiers.*AuthCode')).toBe(true)
    expect(pathFitsPattern(['items', 3, 'id'], 'items.*.id')).toBe(true)
    expect(pathFitsPattern(['a', 'b'], 'a')).toBe(false)
    expect(showPath(['a', 0, 'b c', 'd'])).toBe('a[0]["b c"].d')
  })
})

test('an export lists the differences as lines, without ignored ones', () => {
  const compared = compareStructure(
    '{"id":"1","amount":1,"note":"`x`"}',
    '{"id":"2","amount":2,"note":"``y``"}',
    defaultVolatileFields,
  )
  if (compared.outcome !== 'json') throw new Error('no JSON')
  const written = {
    leftTitle: 'one',
    rightTitle: 'two',
    parts: [{ name: 'Body', sentence: countSentence(compared.counts), rows: compared.rows }],
  }
  expect(writeText(written)).toBe(
    [
      '--- one',
      '+++ two',
      '',
      'Body: 2 changed, 1 ignored',
      '- amount: 1',
      '+ amount: 2',
      '- note: "`x`"',
      '+ note: "``y``"',
      '',
    ].join('\n'),
  )
  expect(writeMarkdown(written)).toContain('```diff\n- amount: 1')
})
