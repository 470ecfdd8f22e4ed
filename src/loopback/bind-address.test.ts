import { describe, expect, test } from 'vitest'
import { urlHost } from '../shared/http.ts'
import { readBindAddress } from './bind-address.ts'

describe('the address to listen on', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['LOCALHOST', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['127.0.0.2', '127.0.0.2'],
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
  ])('accepts the loopback address %s', (host, address) => {
    expect(readBindAddress(host, { dangerouslyBind: false })).toEqual({
      address,
      loopback: true,
      any: false,
    })
  })

  const anySpellings = [
    '0',
    '0x0',
    '00',
    '0.0',
    '0.0.0.0',
    '0x0.0x0.0x0.0x0',
    '::',
    '::0',
    '[::]',
    '0:0:0:0:0:0:0:0',
    '::ffff:0.0.0.0',
    '\uff10',
    '\uff10\uff0e\uff10\uff0e\uff10\uff0e\uff10',
    ' 0.0.0.0 ',
  ]
  test.each(anySpellings)('rejects %j, which means all addresses of this computer', (host) => {
    expect(() => readBindAddress(host, { dangerouslyBind: false })).toThrow(/--dangerously-bind/)
    expect(readBindAddress(host, { dangerouslyBind: true })).toMatchObject({
      loopback: false,
      any: true,
    })
  })

  test.each(['192.168.1.5', '10.0.0.1', 'fe80::1', '128.0.0.1', '3232235781'])(
    'rejects %s unless it is allowed explicitly',
    (host) => {
      expect(() => readBindAddress(host, { dangerouslyBind: false })).toThrow(
        /not a loopback address/,
      )
      expect(readBindAddress(host, { dangerouslyBind: true })).toMatchObject({
        loopback: false,
        any: false,
      })
    },
  )

  test.each([
    '',
    'example.com',
    '256.0.0.1',
    '1.2.3.4.5',
    'localhost.evil.test',
    '127.0.0.1:80',
    '-1',
    '09',
  ])('rejects %j, which is not an address', (host) => {
    expect(() => readBindAddress(host, { dangerouslyBind: true })).toThrow(/is not an IP address/)
  })

  test('puts an IPv6 address in brackets in a URL', () => {
    expect([urlHost('::1'), urlHost('127.0.0.1')]).toEqual(['[::1]', '127.0.0.1'])
    // The app and the receiver print it as their own address.
    expect([urlHost('::'), urlHost('0.0.0.0')]).toEqual(['127.0.0.1', '127.0.0.1'])
  })
})
