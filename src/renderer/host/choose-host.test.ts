import { NO_CAPABILITIES } from '../../shared/contract/native.ts'
import { expect, test } from 'vitest'
import { AppError } from '../../shared/contract/errors.ts'
import { createMemoryPair } from '../../shared/rpc/memory-pair.ts'
import type { ConnectionState } from './host.ts'
import { createBridgeHost } from './choose-host.ts'

/** Starts a window whose core answers its first call with `answer`. */
function startWindow() {
  const { client: near, core: far } = createMemoryPair()
  const states: ConnectionState[] = []
  const ids: number[] = []
  far.onMessage((text) => {
    const { id, command } = JSON.parse(text) as { id: number; command: string }
    expect(command).toBe('app.status')
    ids.push(id)
  })
  const host = createBridgeHost({
    ...near,
    capabilities: { ...NO_CAPABILITIES, showInFolder: true },
  })
  const stop = host.onConnection((state) => states.push(state))
  const answer = async (response: object) => {
    await expect.poll(() => ids.length).toBe(1)
    far.send(JSON.stringify({ kind: 'response', id: ids[0], ...response }))
  }
  return { states, answer, stop }
}

test('the window is starting until the core answers', async () => {
  const { states, answer } = startWindow()
  expect(states).toEqual([{ phase: 'starting' }])
  await answer({ ok: true, output: {} })
  await expect.poll(() => states).toEqual([{ phase: 'starting' }, { phase: 'open' }])
})

test('a failed start shows its reason and details; another error means that there is a core', async () => {
  const failed = startWindow()
  const error = new AppError('START_FAILED', 'The folder is in use.', {
    details: { text: 'Countersign 1.0\nlinux' },
  })
  await failed.answer({ ok: false, error: error.toWire() })
  await expect
    .poll(() => failed.states.at(-1))
    .toEqual({
      phase: 'failed',
      reason: 'The folder is in use.',
      details: 'Countersign 1.0\nlinux',
    })
  const damaged = startWindow()
  await damaged.answer({ ok: false, error: new AppError('DATABASE_DAMAGED', 'Damaged.').toWire() })
  await expect.poll(() => damaged.states.at(-1)).toEqual({ phase: 'open' })
})

test('a removed listener hears nothing', async () => {
  const { states, answer, stop } = startWindow()
  stop()
  await answer({ ok: true, output: {} })
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(states).toEqual([{ phase: 'starting' }])
})
