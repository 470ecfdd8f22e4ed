import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createColumns, Output, printableJson, right } from './print.ts'

function outputTo(isTTY: boolean, env: Record<string, string> = {}) {
  const stdout = Object.assign(new PassThrough(), { isTTY })
  const stderr = new PassThrough()
  return { stdout, stderr, output: new Output({ stdout, stderr, env }) }
}

function lineOf({ stdout, output }: ReturnType<typeof outputTo>, text: string): string {
  output.line(text)
  return String(stdout.read())
}

describe('colors', () => {
  test('are used in terminals', () => {
    for (const [isTerminal, expected] of [
      [true, '\u001b[31mx\u001b[0m\n'],
      [false, 'x\n'],
    ] as const) {
      const to = outputTo(isTerminal)
      expect(lineOf(to, to.output.color('x', 'red'))).toBe(expected)
    }
  })

  test.each<Record<string, string>>([{ NO_COLOR: '1' }, { TERM: 'dumb' }])(
    'are off with %o',
    (env) => {
      const to = outputTo(true, env)
      expect(lineOf(to, to.output.color('x', 'red'))).toBe('x\n')
    },
  )

  test('are the only escape codes in a line; others are escaped, with and without color', () => {
    const to = outputTo(true)
    const text = '\u001b[31m\u202e\u2066\u0007'
    const spelled = String.raw`\u001b[31m\u202e\u2066\u0007`
    expect(lineOf(to, `${text}${to.output.color(text, 'bold')}`)).toBe(
      `${spelled}\u001b[1m${spelled}\u001b[0m\n`,
    )
    expect(lineOf(outputTo(false), text)).toBe(`${spelled}\n`)
  })
})

test('columns stay aligned with colors and only grow', () => {
  const to = outputTo(true)
  const columns = createColumns(to.output)
  const bare = (lines: string[]) =>
    lines.map((line) =>
      lineOf(to, line)
        .trimEnd()
        .replaceAll(/\u001b\[\d+m/gu, ''),
    )
  expect(
    bare(
      columns([
        [{ text: 'a', color: 'red' }, right('1'), 'x'],
        ['long', right('22'), 'y'],
      ]),
    ),
  ).toEqual(['a      1  x', 'long  22  y'])
  expect(bare(columns([['b', right('3'), 'z']]))).toEqual(['b      3  z'])
})

test('JSON parses to the same value and escapes everything unprintable', () => {
  const value = { text: '\u001b\u009b\u202e\u2028 ü 😀', list: [1, null] }
  const text = printableJson(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(text).toContain('ü 😀')
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u)
})

test('a note is one line without terminal control characters', () => {
  const { stderr, output } = outputTo(false)
  output.note('refused:\n\u001b]0;title\u0007')
  expect(String(stderr.read())).toBe(`refused:${String.raw`\u000a\u001b]0;title\u0007`}\n`)
})

test('bytes are made printable in a terminal, even if a character arrives in two pieces', async () => {
  const { stdout, output } = outputTo(true)
  const bytes = Buffer.from('{"a":"\u202eé\u2066"}\r\n\t\u001b]0;x\u0007')
  for (const byte of bytes) await output.bytes(Uint8Array.of(byte))
  expect(String(stdout.read()).replaceAll(String.raw`\u000d`, '')).toBe(
    `${String.raw`{"a":"\u202eé\u2066"}`}\n\t${String.raw`\u001b]0;x\u0007`}`,
  )
})
