import { expect, test } from 'vitest'
import { readPublicAddress } from './public-address.ts'

test.each([
  ['https://quiet-lake.tunnel.example', 'https://quiet-lake.tunnel.example'],
  ['https://quiet-lake.tunnel.example//', 'https://quiet-lake.tunnel.example'],
  ['https://Proxy.example:8443/to/me/', 'https://Proxy.example:8443/to/me'],
])('%s is taken as %s', (given, address) => {
  expect(readPublicAddress(given)).toBe(address)
})

test.each([
  ['quiet-lake.tunnel.example', /is no URL/],
  ['http://quiet-lake.tunnel.example', /HTTPS alone.*http:\/\//],
  ['https://me:key@x.example', /user before its host/],
  ['https://x.example/in?a=1', /no query/],
  ['https://x.example/#top', /no fragment/],
])('%s is refused with its reason', (given, why) => {
  expect(() => readPublicAddress(given)).toThrow(why)
})
