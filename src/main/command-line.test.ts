import { expect, test } from 'vitest'
import { readCommandLine } from './command-line.ts'

test('nothing said, nothing chosen', () => {
  expect(readCommandLine(['electron', '.'])).toEqual({ ports: {} })
})

test('folder and ports are read in both spellings, and the switches of others passed over', () => {
  const argv = ['electron', '--inspect=0', '.', '--data', 'captures', '--receiver-port=0', '--sandbox-port', '4999', '--no-open']
  expect(readCommandLine(argv)).toEqual({ data: 'captures', ports: { receiverPort: 0, sandboxPort: 4999 } })
  expect(readCommandLine(['--data=/tmp/a b', '--receiver-http-port', '65535'])).toEqual({
    data: '/tmp/a b',
    ports: { receiverHttpPort: 65535 },
  })
})

test('a missing value is said with its name', () => {
  expect(() => readCommandLine(['--data'])).toThrow('--data needs a value after it.')
  expect(() => readCommandLine(['--receiver-port', '--data', 'x'])).toThrow('--receiver-port needs a value after it.')
})

test.each(['65536', '-1', '1.5', 'https', '0x10', '1e3', ''])('%j is no port', (text) => {
  expect(() => readCommandLine([`--sandbox-port=${text}`])).toThrow(/--sandbox-port takes a port number/)
})
