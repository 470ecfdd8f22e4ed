import { expect, test } from 'vitest'
import { savedHandlerOf } from '../../../test/support/model-values.ts'
import {
  handlerAt,
  isUnsaved,
  namedHandler,
  offeredEndpoints,
  suggestedName,
} from './endpoint-offers.ts'

const ci = savedHandlerOf({ name: 'ci', url: 'http://localhost:4010/hooks' })
const local = savedHandlerOf({ url: 'http://localhost:3000/webhooks', current: true })
const saved = [ci, local]
const values = (typed: string, recent: readonly string[] = []) =>
  offeredEndpoints(saved, recent, typed).map(({ label, items }) => [
    label,
    ...items.map(({ value }) => value),
  ])

test('a form offers saved handlers first, the current one on top, then URLs typed before that are not saved', () => {
  const recent = ['localhost:3000/webhooks', 'http://127.0.0.1:9/in', 'http://127.0.0.1:9/in']
  expect(values('', recent)).toEqual([
    ['Saved handlers', '@local', '@ci'],
    ['Recent', 'http://127.0.0.1:9/in'],
  ])
  expect(offeredEndpoints(saved, [], '')[0]?.items[0]).toEqual({
    value: '@local',
    note: local.url,
    current: true,
  })
  expect(offeredEndpoints([], [], '')).toEqual([])
})

test('typing limits the offers to names and URLs that contain the text', () => {
  expect(values('4010', ['http://127.0.0.1:9/in'])).toEqual([['Saved handlers', '@ci']])
  expect(values('@LOC')).toEqual([['Saved handlers', '@local']])
  expect(values('elsewhere')).toEqual([])
})

test('a handler is found by its name or its URL, however it is typed', () => {
  expect([namedHandler(' @ci ', saved), namedHandler('handler:LOCAL', saved)]).toEqual([ci, local])
  expect([
    namedHandler('ci', saved),
    namedHandler('@gone', saved),
    namedHandler('@', saved),
  ]).toEqual([null, null, null])
  expect(handlerAt('localhost:4010/hooks', saved)).toBe(ci)
  expect(handlerAt('localhost:4010/other', saved)).toBeNull()
})

test('only a complete URL that no handler has is offered for saving', () => {
  expect(
    ['localhost:4010/other', 'https://a.example/in'].map((text) => isUnsaved(text, saved)),
  ).toEqual([true, true])
  expect(
    ['', '@ci', 'nonsense', 'localhost:4010/hooks'].map((text) => isUnsaved(text, saved)),
  ).toEqual([false, false, false, false])
})

test('the suggested name comes from the host and is not taken', () => {
  const named = (url: string, ...taken: readonly string[]) => suggestedName(url, taken)
  expect(named('localhost:3000/webhooks')).toBe('local')
  expect(named('http://127.0.0.1:4010/', 'local')).toBe('local-4010')
  expect(named('http://127.0.0.1:4010/', 'local', 'local-4010')).toBe('local-2')
  expect(named('https://staging.northpine.dev/webhooks')).toBe('staging')
  expect(named('https://api.northpine.dev/webhooks')).toBe('northpine')
  expect(named('https://staging.northpine.dev/', 'staging', 'staging-2')).toBe('staging-3')
  expect(named('http://192.168.1.20:8080/')).toBe('192-168-1-20')
  expect(named('http://[fd00::1]/')).toBe('fd00-1')
  expect(named('localhost:3000/', 'Local')).toBe('local-3000')
})
