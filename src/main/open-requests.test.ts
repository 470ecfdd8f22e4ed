import { resolve } from 'node:path'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { toAbsoluteArgument, parseDeliveryLink, readOpenRequest } from './open-requests.ts'
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

  property.prop([tail], { numRuns: times(30, 3_000) })(
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
    numRuns: times(30, 3_000),
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
    'countersign://delivery/latest',
    'countersign://delivery/1234567',
    'countersign://delivery/',
    '',
  ])("%j isn't a link to a delivery", (text) => {
    expect(parseDeliveryLink(text)).toBeNull()
  })
})

test('a path to open is absolute, also for another process', () => {
  expect(toAbsoluteArgument('day.jsonl')).toBe(resolve('day.jsonl'))
  for (const word of ['/tmp/a.json', 'file:///a/my%20flow.json', 'COUNTERSIGN:x'])
    expect(toAbsoluteArgument(word)).toBe(word)
})

describe('requests to open', () => {
  test('a link opens a delivery, a file is what its extension says', () => {
    expect(readOpenRequest(`countersign://delivery/${id}`)).toEqual({ deliveryId: id })
    expect(readOpenRequest('/a/Day.JSONL')).toEqual({ path: '/a/Day.JSONL', kind: 'capture' })
    expect(readOpenRequest('/a/coffee.json')).toMatchObject({ kind: 'flow' })
  })

  test('a file URL, as Linux desktops pass it, is a path on this computer', () => {
    expect(readOpenRequest('file:///a/my%20flow.json')).toEqual({
      path: '/a/my flow.json',
      kind: 'flow',
    })
  })

  test("an HTTP archive isn't opened, and the sentence says what can be", () => {
    expect(readOpenRequest('/a/day.HAR')).toEqual({
      message: expect.stringMatching(
        /\(\.har\) don't open from outside\. In the window, choose Import deliveries/,
      ),
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
      message: expect.stringMatching(/\.$|\.json\)\.$/),
    })
  })

  property.prop([fc.string({ unit: 'binary' })])(
    'any text is a request or a sentence, never an error',
    (word) => {
      const request = readOpenRequest(word)
      if ('path' in request) expect(request.path).toMatch(/\.(?:jsonl|ndjson|json)$/i)
    },
  )
})
