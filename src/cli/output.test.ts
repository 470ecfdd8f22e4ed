import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createColumns, createOutput, printableJson } from './output.ts'

function outputTo(isTTY: boolean, env: Record<string, string> = {}) {
  const stdout = Object.assign(new PassThrough(), { isTTY })
  const stderr = new PassThrough()
  return { stdout, stderr, output: createOutput({ stdout, stderr, env }) }
}

describe('colours', () => {
  test('are for terminals', () => {
    expect(outputTo(true).output.colour('x', 'red')).toBe('\u001b[31mx\u001b[0m')
    expect(outputTo(false).output.colour('x', 'red')).toBe('x')
  })

  test.each<Record<string, string>>([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('are left out with %o', (env) => {
    expect(outputTo(true, env).output.colour('x', 'red')).toBe('x')
  })
})

describe('columns', () => {
  test('stay in line whatever is coloured, and only grow', () => {
    const columns = createColumns(outputTo(true).output)
    const bare = (lines: string[]) => lines.map((line) => line.replaceAll(/\u001b\[\d+m/gu, ''))
    expect(
      bare(
        columns([
          [{ text: 'a', colour: 'red' }, { text: '1', align: 'right' }, { text: 'x' }],
          [{ text: 'long' }, { text: '22', align: 'right' }, { text: 'y' }],
        ]),
      ),
    ).toEqual(['a      1  x', 'long  22  y'])
    expect(bare(columns([[{ text: 'b' }, { text: '3', align: 'right' }, { text: 'z' }]]))).toEqual(['b      3  z'])
  })

  test('hold nothing that a terminal acts upon but the colours themselves', () => {
    const columns = createColumns(outputTo(false).output)
    expect(columns([[{ text: '\u001b[2J\r\n' }, { text: 'b' }]])).toEqual([String.raw`\u001b[2J\u000d\u000a  b`])
  })
})

test('JSON parses to the same value, with everything unprintable spelled out', () => {
  const value = { text: '\u001b\u009b\u202e\u2028 ü 😀', list: [1, null] }
  const text = printableJson(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(text).toContain('ü 😀')
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u)
})

test('a note keeps its lines, and holds nothing else that a terminal acts upon', () => {
  const { stderr, output } = outputTo(false)
  output.note('refused:\n\u001b]0;title\u0007')
  expect(String(stderr.read())).toBe(`refused:\n${String.raw`\u001b]0;title\u0007`}\n`)
})

test('bytes are written as they are', async () => {
  const { stdout, output } = outputTo(false)
  await output.bytes(Uint8Array.of(0, 255, 10, 27))
  expect([...(stdout.read() as Buffer)]).toEqual([0, 255, 10, 27])
})
