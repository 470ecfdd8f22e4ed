import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { crashReport, createCrashPolicy, RELATED_MS } from './crash-policy.ts'

const crash = (at: number, reason = 'crashed') => ({ reason, exitCode: 5, at })

test('the first crash reloads, the second starts safe mode, the third asks', () => {
  const policy = createCrashPolicy()
  expect([0, 1_000, 2_000, 3_000].map((at) => policy.onGone(crash(at)))).toEqual([
    'reload',
    'safe',
    'ask',
    'ask',
  ])
})

test('a crash long after the last one is a first one again', () => {
  const policy = createCrashPolicy()
  expect(policy.onGone(crash(0))).toBe('reload')
  expect(policy.onGone(crash(RELATED_MS))).toBe('reload')
  expect(policy.onGone(crash(RELATED_MS + 1))).toBe('safe')
})

test('an orderly end and a wanted one do not count', () => {
  const policy = createCrashPolicy()
  expect(policy.onGone(crash(0, 'clean-exit'))).toBe('ignore')
  policy.expectEnd()
  expect(policy.onGone(crash(1, 'killed'))).toBe('reload')
  expect(policy.crashes()).toEqual([])
  expect(policy.onGone(crash(2, 'oom'))).toBe('reload')
  expect(policy.onGone(crash(3, 'oom'))).toBe('safe')
})

property.prop([
  fc.array(
    fc.record({
      wait: fc.nat(2 * RELATED_MS),
      reason: fc.constantFrom('oom', 'killed', 'clean-exit'),
    }),
  ),
])('never reloads twice within ten minutes without the user: no loop of crashes', (steps) => {
  const policy = createCrashPolicy()
  let at = 0
  let lastReload = Number.NEGATIVE_INFINITY
  for (const { wait, reason } of steps) {
    at += wait
    if (policy.onGone(crash(at, reason)) !== 'reload') continue
    expect(at - lastReload).toBeGreaterThanOrEqual(RELATED_MS)
    lastReload = at
  }
})

test('the report names versions and crashes, and nothing of the user', () => {
  const policy = createCrashPolicy()
  policy.onGone(crash(Date.UTC(2026, 10, 21, 11, 30), 'oom'))
  policy.onGone(crash(Date.UTC(2026, 10, 21, 11, 31), 'a-reason-of-tomorrow'))
  const facts = {
    version: '0.1.0',
    platform: 'linux',
    arch: 'x64',
    versions: { electron: '45.0.0', node: '24.1.0' },
  }
  expect(crashReport({ ...facts, crashes: policy.crashes() })).toBe(
    [
      'Countersign 0.1.0 on linux x64',
      'Electron 45.0.0, Chromium unknown, Node 24.1.0',
      "2026-11-21T11:30:00.000Z The window's process ran out of memory (oom, exit code 5).",
      "2026-11-21T11:31:00.000Z The window's process ended (a-reason-of-tomorrow, exit code 5).",
    ].join('\n'),
  )
})
