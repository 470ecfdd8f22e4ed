import { EventEmitter } from 'node:events'
import { beforeEach, expect, test } from 'vitest'
import { createFaultHandler, type Faults, watchFaults } from './faults.ts'

let logged: string[]
let now: number
let isReady: boolean
let faults: Faults

beforeEach(() => {
  logged = []
  now = 0
  isReady = true
  faults = createFaultHandler({
    log: {
      bug(error, context) {
        logged.push(`${context}: ${String(error)}`)
        return 'ab12cd34'
      },
    },
    isReady: () => isReady,
    now: () => now,
  })
})

test('an exception is logged, and the user can quit', () => {
  expect(faults.heard(new Error('boom'), 'uncaughtException')).toMatchObject({
    kind: 'ask',
    detail: expect.stringContaining('under ab12cd34.') as string,
  })
  expect(logged).toEqual(['uncaughtException: Error: boom'])
})

test('a rejected promise is logged and becomes a notice in the window', () => {
  expect(faults.heard('no error at all', 'unhandledRejection')).toEqual({
    kind: 'notice',
    title: 'Something went wrong',
    message: 'The log has the details under ab12cd34.',
  })
  expect(logged).toEqual(['unhandledRejection: no error at all'])
})

test('before the app is ready, the start ends with the reason', () => {
  isReady = false
  expect(faults.heard(new Error('boom'), 'uncaughtException')).toEqual({
    kind: 'refuse',
    message: 'boom\nThe log has the details under ab12cd34.',
  })
  // The start itself says what it couldn't do.
  expect(faults.heard(new Error('boom'), 'unhandledRejection')).toMatchObject({ kind: 'notice' })
})

test('a fault in a loop is shown once per minute and logged each time', () => {
  const shown = [0, 1, 59_999, 60_000].filter((at) => {
    now = at
    return faults.heard(new Error('again'), 'uncaughtException') !== null
  })
  expect(shown).toEqual([0, 60_000])
  expect(logged).toHaveLength(4)
  now = 60_001
  expect(faults.heard(new Error('other'), 'unhandledRejection')).not.toBeNull()
})

test('a closed terminal is only logged', () => {
  const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })
  expect(faults.heard(closed, 'uncaughtException')).toBeNull()
  expect(logged).toHaveLength(1)
  // A connection to elsewhere that ended is a fault.
  expect(
    faults.heard(
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }),
      'uncaughtException',
    ),
  ).not.toBeNull()
})

test('both events of the process end in a log entry and a sentence; notices wait for the window', async () => {
  const process = new EventEmitter()
  const said: string[] = []
  const ports: Parameters<typeof watchFaults>[0] = {
    app: { isReady: () => isReady, quit: () => said.push('quit') },
    dialog: {
      showMessageBox: ({ message, buttons = [] }) => {
        said.push(message)
        return Promise.resolve({ response: buttons.indexOf('Quit') })
      },
    },
    process,
  }
  const log = {
    bug: (error: unknown, context: string) => String(logged.push(`${context}: ${String(error)}`)),
  }
  const connect = watchFaults(ports, {
    log,
    refuse: ({ message }) => said.push(`refused: ${message}`),
  })

  isReady = false
  process.emit('uncaughtException', new Error('no display'))
  process.emit('unhandledRejection', new Error('a'))
  expect(said).toEqual(['refused: no display\nThe log has the details under 1.'])
  connect(({ title, message }) => said.push(`${title}: ${message}`))
  expect(said.at(-1)).toBe('Something went wrong: The log has the details under 2.')

  isReady = true
  process.emit('uncaughtException', new Error('b'))
  await expect.poll(() => said.at(-1)).toBe('quit')
  expect(said.at(-2)).toBe('Something went wrong in Countersign')
  expect(logged).toEqual([
    'uncaughtException: Error: no display',
    'unhandledRejection: Error: a',
    'uncaughtException: Error: b',
  ])
})
