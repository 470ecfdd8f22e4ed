import { expect, test } from 'vitest'
import { readCommandLine } from './command-line.ts'

/** Returns the command line of an installed app, without what isn't given. */
const read = (...toOpen: string[]) =>
  readCommandLine(['/opt/Countersign/countersign', ...toOpen], { isPackaged: true })
const nothing = { selfTest: false, data: undefined, ports: {}, toOpen: [] }

test('without arguments, uses the defaults', () => {
  expect(read()).toEqual(nothing)
})

test('reads folder and ports in both spellings, and what to open, and ignores other switches', () => {
  const argv = [
    ...['--inspect=0', '--data', 'captures', 'day.jsonl', '--receiver-port=0'],
    ...['--sandbox-port', '4999', '--ui-port', '5000', '--no-open', '-psn_0_1', '/tmp/a.json'],
  ]
  expect(read(...argv)).toEqual({
    ...nothing,
    data: 'captures',
    ports: { receiverPort: 0, sandboxPort: 4999 },
    toOpen: ['day.jsonl', '/tmp/a.json'],
  })
  expect(read('--data=/tmp/a b', '--receiver-http-port', '65535')).toEqual({
    ...nothing,
    data: '/tmp/a b',
    ports: { receiverHttpPort: 65535 },
  })
})

test('in a checkout, the first argument is the app itself', () => {
  expect(
    readCommandLine(['electron', '--inspect=0', '.', 'a.json'], { isPackaged: false }).toOpen,
  ).toEqual(['a.json'])
  expect(readCommandLine(['electron', '.'], { isPackaged: false }).toOpen).toEqual([])
})

test('names the option that needs a value', () => {
  expect(() => read('--data')).toThrow('--data needs a value.')
  expect(() => read('--receiver-port', '--data', 'x')).toThrow('--receiver-port needs a value.')
})

test.each(['65536', '-1', '1.5', 'https', '0x10', '1e3', ''])('rejects the port %j', (text) => {
  expect(() => read(`--sandbox-port=${text}`)).toThrow(/--sandbox-port must be a port/)
})

test('ignores everything after a link, which a page may have put into it', () => {
  expect(
    read('--data', 'mine', 'countersign://delivery/x', '--receiver-port', '1', '/evil.jsonl'),
  ).toEqual({ ...nothing, data: 'mine', toOpen: ['countersign://delivery/x'] })
  expect(read('Countersign:x', '--data', '/evil', '--self-test', 'a.json')).toEqual({
    ...nothing,
    toOpen: ['Countersign:x'],
  })
})

test("a self-test has free ports, and never the user's folder", () => {
  expect(read('--self-test', '--data', 'mine', '--receiver-port', '443')).toEqual({
    ...nothing,
    selfTest: true,
    ports: { receiverPort: 0, sandboxPort: 0 },
  })
})
