import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readMarkdown, type Block, type Inline } from './markdown.ts'

const page = readMarkdown(readFileSync('docs/service.md', 'utf8'))
const textOf = (parts: readonly Inline[]) => parts.map(({ text }) => text).join('')

function textsOf(block: Block): readonly Inline[] {
  switch (block.kind) {
    case 'list':
      return block.items.flat()
    case 'table':
      return [...block.head.flat(), ...block.rows.flat(2)]
    default:
      return block.text
  }
}

test('an anchor belongs to the next heading', () => {
  expect(
    readMarkdown('<a id="section-2-1"></a>\n\n### 2.1 A _hook_\n\nText\nof two lines.'),
  ).toEqual([
    {
      kind: 'heading',
      level: 3,
      anchor: 'section-2-1',
      text: [
        { kind: 'text', text: '2.1 A ' },
        { kind: 'emphasis', text: 'hook' },
      ],
    },
    { kind: 'paragraph', text: [{ kind: 'text', text: 'Text of two lines.' }] },
  ])
})

test('code, strong text and links are separate parts; underscores inside words are not emphasis', () => {
  expect(readMarkdown('A `b_c` **d** [e, f](#g) h_i_j')).toEqual([
    {
      kind: 'paragraph',
      text: [
        { kind: 'text', text: 'A ' },
        { kind: 'code', text: 'b_c' },
        { kind: 'text', text: ' ' },
        { kind: 'strong', text: 'd' },
        { kind: 'text', text: ' ' },
        { kind: 'link', text: 'e, f', target: '#g' },
        { kind: 'text', text: ' h_i_j' },
      ],
    },
  ])
})

test('an item may span several lines; numbered items stay in order', () => {
  expect(
    readMarkdown('- one\n  more\n- two\n\n1. first\n2. second').map((block) => block),
  ).toMatchObject([
    { kind: 'list', ordered: false, items: [[{ text: 'one more' }], [{ text: 'two' }]] },
    { kind: 'list', ordered: true, items: [[{ text: 'first' }], [{ text: 'second' }]] },
  ])
})

test('a table has a head and rows, including empty cells', () => {
  expect(readMarkdown('| a | b |\n| --- | --- |\n| `x` |  |')).toEqual([
    {
      kind: 'table',
      head: [[{ kind: 'text', text: 'a' }], [{ kind: 'text', text: 'b' }]],
      rows: [[[{ kind: 'code', text: 'x' }], []]],
    },
  ])
})

test('the whole service page is read, and all its internal links work', () => {
  const parts = page.flatMap(textsOf)
  for (const part of parts)
    if (part.kind === 'text') expect(part.text).not.toMatch(/[`|<]|\*\*|\]\(|^#/)
  const anchors = new Set(
    page.flatMap((block) =>
      block.kind === 'heading' && block.anchor !== null ? [`#${block.anchor}`] : [],
    ),
  )
  const inner = parts.flatMap((part) =>
    part.kind === 'link' && part.target.startsWith('#') ? [part.target] : [],
  )
  expect(inner.length).toBeGreaterThan(10)
  for (const target of inner) expect(anchors).toContain(target)
  expect(page.filter(({ kind }) => kind === 'table').length).toBeGreaterThan(4)
  const [quote] = page.filter((block) => block.kind === 'quote')
  expect(textOf(quote === undefined ? [] : textsOf(quote))).toContain('x-service-timestamp')
})
