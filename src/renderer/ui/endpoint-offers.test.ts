import { expect, test } from 'vitest'
import { savedHandlerOf } from '../../../test/support/model-values.ts'
import { handlerAt, namedHandler, offeredEndpoints, suggestedName } from './endpoint-offers.ts'

const ci = savedHandlerOf({ name: 'ci', url: 'http://localhost:4010/hooks' })
const local = savedHandlerOf({ url: 'http://localhost:3000/webhooks', current: true })
const saved = [ci, local]

test('a form offers saved handlers first, the current one on top, then URLs typed before that are not saved', () => {
  const recent = ['localhost:3000/webhooks', 'http://127.0.0.1:9/in', 'http://127.0.0.1:9/in']
  expect(offeredEndpoints(saved, recent)).toEqual([
    { value: '@local', note: local.url, group: 'Saved handlers' },
    { value: '@ci', note: ci.url, group: 'Saved handlers' },
    { value: 'http://127.0.0.1:9/in', group: 'Recent' },
  ])
  expect(offeredEndpoints([], [])).toEqual([])
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
