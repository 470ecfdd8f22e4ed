import { expect, test } from 'vitest'
import type { ReceiverStatus } from '../shared/model/status.ts'
import { hasTrayHost, type RunTool, trayState, type TrayFacts } from './tray.ts'

const receiver: ReceiverStatus = {
  state: 'listening',
  url: 'https://127.0.0.1:4783',
  publicUrl: null,
  httpUrl: null,
  problem: null,
}
const now = new Date(2026, 10, 23, 12, 0).getTime()
const last: TrayFacts['last'] = {
  event: 'transaction.auth',
  verdict: 'valid',
  malformed: null,
  receivedAt: new Date(2026, 10, 23, 10, 2).toISOString(),
}

test('shows that it receives, and the last delivery', () => {
  expect(trayState({ receiver, last }, now)).toEqual({
    lines: ['Receiving on 127.0.0.1:4783', 'Last: transaction.auth, valid, 10:02'],
    paused: false,
    canPause: true,
    tooltip: 'Countersign\nReceiving on 127.0.0.1:4783\nLast: transaction.auth, valid, 10:02',
    icon: 'receiving',
  })
})

test('says that it is paused, and its picture shows it', () => {
  const paused = trayState({ receiver: { ...receiver, state: 'paused' }, last: null }, now)
  expect(paused.lines).toEqual(['Paused: deliveries get a 503', 'No deliveries yet'])
  expect(paused).toMatchObject({ paused: true, canPause: true, icon: 'idle' })
})

test('gives the reason of a receiver that failed, cut to the length that Windows shows', () => {
  const problem = `Port 4783 is in use. ${'x'.repeat(200)}`
  const failed = trayState(
    { receiver: { ...receiver, state: 'failed', url: null, problem }, last: null },
    now,
  )
  expect(failed.lines[0]).toBe(problem)
  expect(failed).toMatchObject({ canPause: false, icon: 'idle' })
  expect(failed.tooltip).toHaveLength(127)
})

test('names what is wrong with the last delivery, and its day if it is not today', () => {
  const lineOf = (change: Partial<NonNullable<TrayFacts['last']>>) =>
    trayState({ receiver, last: { ...last, ...change } }, now).lines[1]
  expect(lineOf({ verdict: 'invalid', event: null })).toBe(
    'Last: unknown event, invalid signature, 10:02',
  )
  expect(lineOf({ verdict: 'unknown-hook', malformed: { reason: 'x' } })).toBe(
    'Last: malformed request, unknown hook, 10:02',
  )
  expect(lineOf({ receivedAt: new Date(2026, 10, 21, 23, 59).toISOString() })).toBe(
    'Last: transaction.auth, valid, 21 Nov, 23:59',
  )
})

/** Tools that print these texts; any other is missing. */
function toolsThatSay(answers: Readonly<Record<string, string>>): {
  readonly asked: string[]
  readonly run: RunTool
} {
  const asked: string[] = []
  return {
    asked,
    run: (tool) => {
      asked.push(tool)
      const answer = answers[tool]
      return answer === undefined ? Promise.reject(new Error('ENOENT')) : Promise.resolve(answer)
    },
  }
}

test('macOS and Windows always show tray icons', async () => {
  const { asked, run } = toolsThatSay({})
  expect(await hasTrayHost('darwin', run)).toBe(true)
  expect(await hasTrayHost('win32', run)).toBe(true)
  expect(asked).toEqual([])
})

test.each([
  ['gdbus', '(true,)\n', true],
  ['gdbus', '(false,)\n', false],
  ['busctl', 'b true\n', true],
  ['busctl', 'b false\n', false],
  ['dbus-send', 'method return time=1.2 sender=org.freedesktop.DBus\n   boolean true\n', true],
  ['dbus-send', 'method return time=1.2 sender=org.freedesktop.DBus\n   boolean false\n', false],
])('on Linux %s decides with %j', async (tool, answer, expected) => {
  expect(await hasTrayHost('linux', toolsThatSay({ [tool]: answer }).run)).toBe(expected)
})

test('without a tool or a session bus there is no tray', async () => {
  const { asked, run } = toolsThatSay({})
  expect(await hasTrayHost('linux', run)).toBe(false)
  expect(asked).toEqual(['gdbus', 'busctl', 'dbus-send'])
})
