/** Waits for the core's events instead of asking it again and again. */
import type { EventName } from '../../src/shared/contract/contract.ts'
import type { Client } from '../../src/shared/rpc/client.ts'

/** Reads now and after each event until the value is right; resolves with it. */
export async function until<T>(
  client: Client,
  event: EventName,
  read: () => Promise<T>,
  isRight: (value: T) => boolean,
): Promise<T> {
  let isUnread = false
  let wake = () => undefined as void
  const stop = client.on(event, () => {
    isUnread = true
    wake()
  })
  try {
    for (;;) {
      isUnread = false
      const value = await read()
      if (isRight(value)) return value
      if (!isUnread) await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    stop()
  }
}

export async function checkEnd(client: Client, runId: string) {
  const read = async () => (await client.call('check.get', { runId })).run
  return until(client, 'check.changed', read, ({ state }) => state !== 'running')
}

export async function flowEnd(client: Client, runId: string) {
  const read = async () => (await client.call('flows.run', { runId })).run
  return until(client, 'flows.changed', read, ({ state }) => state !== 'running')
}
