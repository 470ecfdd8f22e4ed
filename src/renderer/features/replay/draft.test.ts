import { describe, expect, test } from 'vitest'
import { formatJson } from '../../../shared/json/format.ts'
import { firstEndpoint, newDraft, paceOf, requestOf, type Draft, type Original } from './draft.ts'
import { commandOf } from './draft-commands.ts'
import { changesOfDraft } from './draft-changes.ts'

const original: Original = {
  method: 'POST',
  headers: [
    ['Host', 'x'],
    ['X-A', '1'],
    ['x-a', '2'],
    ['X-B', '3'],
  ],
  text: '{"id": 9007199254740993, "amount": 10.00, "card": {"last": "4001"}, "list": [1, 2]}\n',
}
const fresh = newDraft(original, 'http://127.0.0.1:3000/')
const text = (from: string, to: string): Partial<Draft> => ({
  text: (original.text ?? '').replace(from, to),
})

test('the headers are a line each, without those of the connection', () => {
  expect(fresh.headers).toBe('X-A: 1\nx-a: 2\nX-B: 3')
})

describe('changes', () => {
  test('the lines that are only on one side are named', () => {
    const headers = 'X-B: 3\nX-A: 1\nX-C: 4'
    expect(changesOfDraft({ ...fresh, headers }, original)).toMatchObject([
      { before: 'x-a: 2', after: 'X-C: 4' },
    ])
  })

  test.each<[string, Partial<Draft>, string[]]>([
    ['nothing', {}, []],
    ['the method', { method: 'PUT' }, ['Method']],
    ['a header', { headers: fresh.headers.replace('2', '9') }, ['Headers']],
    ['a header added, in another order', { headers: `X-C: \n${fresh.headers}` }, ['Headers']],
    ['a value of the body', text('10.00', '12'), ['amount']],
    [
      'two values',
      { text: (original.text ?? '').replace('10.00', '12').replace('4001', '1') },
      ['amount', 'card.last'],
    ],
    ['an item', text('[1, 2]', '[1, 3]'), ['list[1]']],
    ['a new member', text('{"id"', '{"new": 1, "id"'), ['Body: structure']],
    ['only whitespace', text('": 10', '":   10'), ['Body: formatting']],
    [
      'formatting and two values',
      {
        text: formatJson(original.text ?? '')
          ?.replace('10.00', '12')
          .replace('4001', '1'),
      },
      ['Body: formatting', 'amount', 'card.last'],
    ],
    ["text that isn't JSON", text('}', ''), ['Body: no longer JSON']],
  ])('%s is named and can be undone by itself', (_name, change, names) => {
    const draft = { ...fresh, ...change }
    const changes = changesOfDraft(draft, original)
    expect(changes.map(({ name }) => name)).toEqual(names)
    // undoing one change keeps the others; undoing all restores the captured request
    for (const { undo } of changes)
      expect(changesOfDraft(undo(draft), original)).toHaveLength(changes.length - 1)
    const back = changes.reduce((at, { undo }) => undo(at), draft)
    expect(back).toEqual(fresh)
  })
})

test('the command has an option for each change, or nothing if its options lack one', () => {
  const changed = {
    ...fresh,
    method: 'PUT',
    text: (original.text ?? '').replace('10.00', '12.50').replace('"4001"', `"it's"`),
    tamper: 'stale',
    repeat: '3',
  } as const
  expect(commandOf(changed, original, 'ID')).toBe(
    `countersign replay ID --to http://127.0.0.1:3000/ --method PUT --set amount=12.50 --set 'card.last="it'\\''s"' --tamper stale --repeat 3`,
  )
  expect(commandOf({ ...fresh, target: '' }, original, 'ID')).toBe('countersign replay ID')
  expect(commandOf({ ...fresh, headers: 'X-A: 1' }, original, 'ID')).toBe(null)
  expect(commandOf({ ...fresh, text: '{}' }, original, 'ID')).toBe(null)
  const formatted = (formatJson(original.text ?? '') ?? '').replace('10.00', '12.50')
  expect(commandOf({ ...fresh, text: formatted }, original, 'ID')).toBe(null)
})

const local = { name: 'local', current: true }
const mine = { name: 'mine', current: false }

test.each([
  [
    'the current handler',
    { handlers: [mine, local], ofHook: 'http://127.0.0.1:1/', recent: [] },
    '@local',
  ],
  [
    'the endpoint that this hook used last',
    { ofHook: 'http://127.0.0.1:1/', recent: ['http://127.0.0.1:2/'] },
    'http://127.0.0.1:1/',
  ],
  [
    'the endpoint used last',
    { recent: ['http://127.0.0.1:2/', 'http://127.0.0.1:3/'] },
    'http://127.0.0.1:2/',
  ],
  [
    'another endpoint than this app',
    { ofHook: null, recent: ['https://127.0.0.1:9/h/a', 'http://127.0.0.1:2/'] },
    'http://127.0.0.1:2/',
  ],
  [
    'the endpoint used last',
    { handlers: [mine], recent: ['http://127.0.0.1:2/'] },
    'http://127.0.0.1:2/',
  ],
  [
    'the only handler, although it is not current,',
    { handlers: [mine], ofHook: null, recent: ['https://127.0.0.1:9/'] },
    '@mine',
  ],
  [
    'nothing rather than one of several handlers',
    { handlers: [mine, { ...mine, name: 'other' }], recent: [] },
    '',
  ],
  [
    'nothing rather than this app',
    { ofHook: 'https://localhost:9/h/a', recent: ['https://127.0.0.1:9/'] },
    '',
  ],
])('a replay offers %s first', (_name, known, first) => {
  expect(
    firstEndpoint({ handlers: [], ofHook: undefined, receiver: 'https://127.0.0.1:9', ...known }),
  ).toBe(first)
})

describe('input for the core', () => {
  test('leaves out everything unchanged', () => {
    expect(requestOf(fresh, original)).toEqual({
      to: 'http://127.0.0.1:3000/',
      registeredUrl: null,
      hookId: null,
      tamper: null,
      edits: { signature: 'recompute', timestamp: 'now' },
    })
  })

  test('contains everything that changed, exact bytes, and no tampering if nothing is signed', () => {
    const draft: Draft = {
      ...fresh,
      target: ' ',
      text: 'Café',
      headers: 'X-A: 1\r\n\nx-a:  2:3\nX-B',
      tamper: 'stale',
      signature: 'keep',
      timestamp: 'original',
    }
    const { to, tamper, edits } = requestOf(draft, original)
    expect([to, tamper]).toEqual([null, null])
    expect(edits).toEqual({
      signature: 'keep',
      timestamp: 'now',
      headers: [
        ['X-A', '1'],
        ['x-a', ' 2:3'],
        ['X-B', ''],
      ],
      base64: Buffer.from('Café').toString('base64'),
    })
  })

  test.each([
    [{}, { repeat: 1, concurrency: 1, rate: null }],
    [
      { repeat: '50', concurrency: '8', rate: '2.5' },
      { repeat: 50, concurrency: 8, rate: 2.5 },
    ],
    [{ repeat: '0' }, null],
    [{ repeat: '1001' }, null],
    [{ concurrency: '65' }, null],
    [{ rate: '-1' }, null],
    [{ rate: 'fast' }, null],
  ])('%j has the pace %j', (change, pace) => {
    expect(paceOf({ ...fresh, ...change })).toEqual(pace)
  })
})
