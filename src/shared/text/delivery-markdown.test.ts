import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { BLANK_DELIVERY, type Delivery } from '../model/delivery.ts'
import { deliveryMarkdown } from './delivery-markdown.ts'

const request: Delivery = {
  ...BLANK_DELIVERY,
  id: '0199-a',
  method: 'POST',
  path: '/h/auth',
  event: 'transaction.auth',
  verdict: 'invalid',
  freshness: 'stale',
  headers: [
    ['Content-Type', 'application/json'],
    ['X-Key', '[masked]'],
  ],
  bodySize: 9,
  answer: { status: 200, ms: 1 },
}
const write = (body: string | null, delivery: Partial<Delivery> = {}) =>
  deliveryMarkdown({ delivery: { ...request, ...delivery }, cause: null, body })

test('a delivery is written with verdict, cause, request, headers and body', () => {
  const cause = {
    message: 'Signed over the URL with a trailing slash.',
    fix: 'Sign *exactly* the URL.',
  }
  expect(deliveryMarkdown({ delivery: request, cause, body: '{"a":1}\n' })).toBe(
    [
      '**Invalid signature, stale**',
      '',
      'Signed over the URL with a trailing slash.',
      '',
      String.raw`Sign \*exactly\* the URL.`,
      '',
      '- Event: `transaction.auth`',
      '- Received: 1970-01-01T00:00:00.000Z',
      '- Responded: 200',
      '- ID: `0199-a`',
      '',
      '```http',
      'POST /h/auth HTTP/1.1',
      'Content-Type: application/json',
      'X-Key: [masked]',
      '```',
      '',
      '```json',
      '{"a":1}',
      '```',
      '',
    ].join('\n'),
  )
})

test('binary bodies and malformed requests are described', () => {
  expect(write(null, { bodySha256: 'abc' })).toContain('Binary body, 9 bytes, SHA-256 `abc`')
  expect(write('', { bodySize: 0 })).toContain('No body')
  expect(write('x', { bodySize: 70_000 })).toContain('The first 65,536 bytes of 70,000 bytes.')
  expect(write('x', { malformed: { reason: 'Not <HTTP>' } })).toContain(String.raw`Not \<HTTP\>`)
})

/**
 * Returns the lines outside of fences, as a Markdown reader finds them (CommonMark, section 4.5).
 */
function outsideFences(markdown: string): string[] {
  const outside: string[] = []
  let fence: string | null = null
  for (const line of markdown.split('\n')) {
    const run = /^ {0,3}(`{3,})/.exec(line)?.[1]
    if (fence === null && run !== undefined) fence = run
    else if (fence === null) outside.push(line)
    else if (/^ {0,3}`+ *$/.test(line) && line.trim().length >= fence.length) fence = null
  }
  expect(fence).toBeNull()
  return outside
}

const hostile = fc.oneof(
  fc.string({
    unit: fc.constantFrom(
      '`',
      '~',
      '\n',
      '\r',
      ' ',
      'a',
      '<',
      '>',
      '#',
      '@',
      '\u2028',
      '\u202e',
      '\u001b',
    ),
  }),
  fc.constantFrom(
    '```\n# heading\n```',
    '\n````\n<img src=x>\n````',
    '~~~\nout\n~~~',
    '\r```\rout',
    '    ```\nx',
  ),
)

property.prop([hostile, hostile, hostile])(
  'no body, path or header leaves its fence or hides anything',
  (body, path, value) => {
    const text = write(body, { path, headers: [['X', value]], event: null })
    expect(outsideFences(text)).toEqual(
      outsideFences(write('x', { path: '/', headers: [['X', 'y']], event: null })),
    )
    expect(text).not.toMatch(/[^\P{C}\n\t]/u)
  },
)

property.prop([hostile])('an event stays code', (event) => {
  const line =
    write('x', { event })
      .split('\n')
      .find((one) => one.startsWith('- Event: ')) ?? ''
  const code = line.slice('- Event: '.length)
  const ticks = /^`+/.exec(code)?.[0] ?? ''
  if (ticks !== '')
    expect((code.match(/`+/g) ?? []).filter((run) => run.length === ticks.length)).toHaveLength(2)
  else expect(code).toBe('(empty)')
})
