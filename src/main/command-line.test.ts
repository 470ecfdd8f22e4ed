import { expect, test } from 'vitest'
import { readCommandLine } from './command-line.ts'

test('without arguments, uses the defaults', () => {
  expect(readCommandLine(['electron', '.'])).toEqual({ selfTest: false, ports: {} })
})

test('reads folder and ports in both spellings and ignores other switches', () => {
  const argv = [
    'electron',
    '--inspect=0',
    '.',
    '--data',
    'captures',
    '--receiver-port=0',
    '--sandbox-port',
    '4999',
    '--no-open',
  ]
  expect(readCommandLine(argv)).toEqual({
    data: 'captures',
    selfTest: false,
    ports: { receiverPort: 0, sandboxPort: 4999 },
  })
  expect(readCommandLine(['--data=/tmp/a b', '--receiver-http-port', '65535'])).toEqual({
    data: '/tmp/a b',
    selfTest: false,
    ports: { receiverHttpPort: 65535 },
  })
})

test('names the option that needs a value', () => {
  expect(() => readCommandLine(['--data'])).toThrow('--data needs a value.')
  expect(() => readCommandLine(['--receiver-port', '--data', 'x'])).toThrow(
    '--receiver-port needs a value.',
  )
})

test.each(['65536', '-1', '1.5', 'https', '0x10', '1e3', ''])('rejects the port %j', (text) => {
  expect(() => readCommandLine([`--sandbox-port=${text}`])).toThrow(/--sandbox-port must be a port/)
})

test('ignores options after a link, which a page may have put into it', () => {
  expect(
    readCommandLine(['app', '--data', 'mine', 'countersign://delivery/x', '--receiver-port', '1']),
  ).toEqual({
    data: 'mine',
    selfTest: false,
    ports: {},
  })
  expect(readCommandLine(['app', 'Countersign:x', '--data', '/evil', '--self-test'])).toEqual({
    selfTest: false,
    ports: {},
  })
})

test("a self-test has free ports, and never the user's folder", () => {
  expect(
    readCommandLine(['app', '--self-test', '--data', 'mine', '--receiver-port', '443']),
  ).toEqual({
    selfTest: true,
    ports: { receiverPort: 0, sandboxPort: 0 },
  })
})
