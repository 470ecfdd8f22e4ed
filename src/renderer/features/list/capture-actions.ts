/** Actions on capture: pause, send a sample, open the last failing delivery. */
import type { OutputOf } from '../../../shared/contract/contract.ts'
import type { Notice } from '../../core-data/act.ts'
import type { ListTools } from './list-state.ts'

/** Most hooks that a notice names. */
const MAX_NAMED = 3

type SampleResult = OutputOf<'sandbox.sample'>

/** Returns the notice about a sample that wasn't acknowledged, or whose hook was added. */
function sampleNotice({ hookMade, result }: SampleResult): Notice | null {
  const failures = result.deliveries.flatMap(({ event, url, attempts }) => {
    const failed = attempts.find(({ acknowledged }) => !acknowledged)
    const reason = failed?.error ?? `Returned ${failed?.status ?? 'no response'}.`
    return failed === undefined ? [] : [`${event} hook at ${url}: ${reason}`]
  })
  if (failures.length > 0)
    return {
      tone: 'bad',
      title: 'Sample sent, but not acknowledged',
      message: `${failures.slice(0, MAX_NAMED).join(' ')} The sandbox retries in one minute.`,
    }
  const message = 'Added a transaction.auth hook in sandbox-test to sign it with.'
  return hookMade ? { tone: 'ok', title: 'Sample sent', message } : null
}

function firstDeliveryId({ result }: SampleResult): string | null {
  const attempt = result.deliveries
    .flatMap(({ attempts }) => attempts)
    .find(({ deliveryId }) => deliveryId !== null)
  return attempt?.deliveryId ?? null
}

export function captureActions(
  { client, act, set, get, app }: ListTools,
  jumpToNewest: () => void,
) {
  return {
    async pauseOrResume(paused: boolean) {
      await act(paused ? "Couldn't pause capture" : "Couldn't resume capture", async () => {
        await client.call(paused ? 'receiver.pause' : 'receiver.resume', {})
      })
    },
    async sendSample() {
      if (get().sending) return
      const isFirst = app().core.status?.store.deliveries === 0
      // The user wants to see the sample arrive.
      jumpToNewest()
      await act("Couldn't send the sample", () => client.call('sandbox.sample', {}), {
        busy: (sending) => set({ sending }),
        done(sample) {
          const id = firstDeliveryId(sample)
          if (isFirst && id !== null) app().navigation.go('deliveries', { id, tab: 'signature' })
          return sampleNotice(sample)
        },
      })
    },
    async openLastFailing() {
      app().navigation.go('deliveries')
      const page = await act(
        "Couldn't find the last failing delivery",
        () => client.call('deliveries.page', { query: 'response:failing', limit: 1 }),
        {
          done: ({ rows }) =>
            rows.length > 0
              ? null
              : {
                  tone: 'ok',
                  title: 'No delivery fails at your handler',
                  message:
                    'It acknowledged each valid, fresh delivery that it got, and no invalid one.',
                },
        },
      )
      const row = page?.rows[0]
      if (row !== undefined) app().navigation.go('deliveries', { id: row.id })
    },
  }
}
