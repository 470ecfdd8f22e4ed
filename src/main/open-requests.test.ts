import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { parseDeliveryLink, readForwarded, readOpenRequest, wordsToOpen } from './opening.ts'
import { times } from '../../test/support/long-form.ts'

const id = '01939f5e-7c1a-7b7e-9d0c-6f6f2a9b1c3d'

describe('links to deliveries', () => {
  test('a whole id and the short id are accepted', () => {
    expect(parseDeliveryLink(`countersign://delivery/${id}`)).toBe(id)
    expect(parseDeliveryLink('countersign://delivery/2a9b1c3d')).toBe('2a9b1c3d')
  })

  property.prop([fc.uuid()])('every UUID is accepted as it is', (uuid) => {
    expect(parseDeliveryLink(`countersign://delivery/${uuid}`)).toBe(uuid)
  })

  const characters = fc.constantFrom(...'0123456789abcdefABCDEFgz-/\\.%?#&=:@" \0\n'.split(''))
  const tail = fc.string({
    unit: fc.oneof(characters, fc.string({ minLength: 1, maxLength: 1, unit: 'binary' })),
    maxLength: 60,
  })

  property.prop([tail], { numRuns: times(100, 3_000) })(
    'whatever passes is hexadecimal with dashes, and nothing else',
    (text) => {
      const accepted = parseDeliveryLink(`countersign://delivery/${text}`)
      if (accepted !== null) {
        expect(accepted).toBe(text)
        expect(accepted).toMatch(/^[0-9a-f-]{8,36}$/)
      }
    },
  )

  property.prop([fc.constantFrom(id, '2a9b1c3d'), tail.filter((text) => text !== '')], {
    numRuns: times(100, 3_000),
  })('nothing may stand before or after the id', (name, text) => {
    const after = parseDeliveryLink(`countersign://delivery/${name}${text}`)
    // A short id may become a longer one.
    if (after !== null)
      expect(`${name}${text}`).toMatch(
        /^(?:[0-9a-f]{9,12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
      )
    expect(parseDeliveryLink(`countersign://delivery/${text}/${name}`)).toBeNull()
    expect(parseDeliveryLink(`${text}countersign://delivery/${name}`)).toBeNull()
  })

  test.each([
    `countersign://delivery/${id}/`,
    `countersign://delivery/${id}?x`,
    `countersign://delivery/${id}#x`,
    `countersign://delivery//${id}`,
    `countersign://delivery/../delivery/${id}`,
    `countersign://delivery/%2e%2e/${id}`,
    `countersign://hook/${id}`,
    `countersign:delivery/${id}`,
    `countersign:///delivery/${id}`,
    `countersign://user@delivery/${id}`,
    `countersign://delivery:80/${id}`,
    `https://delivery/${id}`,
    `countersign://delivery/${id.toUpperCase()}`,
    `countersign://delivery/${id}\n`,
    'countersign://delivery/latest',
    'countersign://delivery/1234567',
    'countersign://delivery/',
    '',
  ])("%j isn't a link to a delivery", (text) => {
    expect(parseDeliveryLink(text)).toBeNull()
  })
})

describe('arguments to open', () => {
  const packaged = (...words: string[]) =>
    wordsToOpen(['/opt/Countersign/countersign', ...words], true, '/home/me')

  test('files are resolved in the folder of the start, and options with their values are skipped', () => {
    expect(
      packaged(
        '--data',
        './captures',
        'day.jsonl',
        '--receiver-port=0',
        '--no-open',
        '/tmp/a.json',
      ),
    ).toEqual(['/home/me/day.jsonl', '/tmp/a.json'])
    expect(packaged('--sandbox-port', '4999', '-psn_0_1')).toEqual([])
  })

  test('in a checkout, the first argument is the app itself', () => {
    expect(wordsToOpen(['electron', '--inspect=0', '.', 'a.json'], false, '/src')).toEqual([
      '/src/a.json',
    ])
    expect(wordsToOpen(['electron', '.'], false, '/src')).toEqual([])
  })

  test('nothing after a link counts: the link may come from a page that wrote more into it', () => {
    expect(packaged('countersign://delivery/x', '--data', '/evil', '/evil.jsonl')).toEqual([
      'countersign://delivery/x',
    ])
    expect(packaged('COUNTERSIGN:x', 'a.json')).toEqual(['COUNTERSIGN:x'])
  })

  test('at most ten are opened', () => {
    expect(packaged(...Array.from({ length: 30 }, (_, index) => `${index}.json`))).toHaveLength(10)
  })
})

describe('requests to open', () => {
  test('a link opens a delivery, a file is what its extension says', () => {
    expect(readOpenRequest(`countersign://delivery/${id}`)).toEqual({
      kind: 'delivery',
      deliveryId: id,
    })
    expect(readOpenRequest('/a/Day.JSONL')).toEqual({
      kind: 'file',
      path: '/a/Day.JSONL',
      is: 'capture',
    })
    expect(readOpenRequest('/a/coffee.json')).toMatchObject({ is: 'flow' })
  })

  test('a file URL, as Linux desktops pass it, is a path on this computer', () => {
    expect(readOpenRequest('file:///a/my%20flow.json')).toEqual({
      kind: 'file',
      path: '/a/my flow.json',
      is: 'flow',
    })
  })

  test("an HTTP archive isn't opened, and the sentence says what can be", () => {
    expect(readOpenRequest('/a/day.HAR')).toEqual({
      kind: 'problem',
      message: expect.stringMatching(
        /\(\.har\) don't open from outside\. In the window, choose Import deliveries/,
      ) as string,
    })
  })

  test.each([
    'countersign://delivery/../../etc/passwd',
    'countersign://open?file=/etc/passwd.json',
    '/etc/passwd',
    'relative.json',
    '/a/b.json\0.txt',
    '/a/.json/',
    'file://evil.example/share/a.json',
    'file:///a%2Fb.json',
    'https://evil.example/a.json',
    '',
  ])('%j opens nothing and says why', (word) => {
    expect(readOpenRequest(word)).toMatchObject({
      kind: 'problem',
      message: expect.stringMatching(/\.$|\.json\)\.$/) as string,
    })
  })

  property.prop([fc.string({ unit: 'binary' })])(
    'any text is a request or a sentence, never an error',
    (word) => {
      const request = readOpenRequest(word)
      if (request.kind === 'file') expect(request.path).toMatch(/\.(?:jsonl|ndjson|json)$/i)
    },
  )
})

test('only short lists of texts are taken from a second start', () => {
  expect(readForwarded({ open: ['/a.json'] })).toEqual(['/a.json'])
  for (const data of [
    null,
    undefined,
    'x',
    {},
    { open: 'x' },
    { open: [1] },
    { open: ['x'.repeat(9_000)] },
    { open: Array(11).fill('x') },
  ])
    expect(readForwarded(data)).toEqual([])
})

test('an argument that is too long is refused with a message, and the others are opened', () => {
  const endless = `countersign://delivery/${'a'.repeat(20_000)}`
  const sent = wordsToOpen(['app', '/a.json', `/${'b'.repeat(20_000)}.json`, endless], true, '/')
  const [file, long, link] = readForwarded({ open: sent }).map(readOpenRequest)
  expect(file).toEqual({ kind: 'file', path: '/a.json', is: 'flow' })
  expect(long).toMatchObject({ kind: 'problem' })
  expect(link).toMatchObject({ kind: 'problem' })
})
