/** Commands on the open delivery: verify it again, open its neighbors, compare it. */
import type { DetailTools } from './detail-display.ts'
import { reverificationNotice } from './fact-sentences.ts'

export function detailCommands({ client, data, act, app }: DetailTools) {
  return {
    /** Verifies the open delivery again with the current hooks. A notice has the result. */
    async verifyAgain() {
      const { id } = app().navigation.at.deliveries
      const before = id === undefined ? undefined : data.cachedOutput('deliveries.get', { id })
      if (id === undefined || before === undefined) return
      await act("Couldn't verify again", () => client.call('deliveries.diagnose', { id }), {
        done: ({ report }) =>
          reverificationNotice(
            before.verdict,
            report,
            app().core.hooks.find((hook) => hook.id === report.hookId),
          ),
      })
    },
    /** Opens the nearest delivery of the same hook and event. */
    async openAlike(by: 1 | -1) {
      const row = await app().list.moveSelection(0)
      if (row === null) return
      await act(
        by < 0 ? "Couldn't find the previous delivery" : "Couldn't find the next delivery",
        async () => {
          const { row: neighbor } = await client.call('compare.neighbour', {
            deliveryId: row.id,
            by,
          })
          if (neighbor !== null) app().navigation.go('deliveries', { id: neighbor.id })
          return neighbor
        },
        {
          done: (neighbor) =>
            neighbor === null
              ? {
                  tone: 'ok',
                  title: by < 0 ? 'No earlier delivery' : 'No later delivery',
                  message: `This is the ${by < 0 ? 'first' : 'latest'} delivery of ${row.hookId === null ? 'this path' : 'this hook'} and event.`,
                }
              : null,
        },
      )
    },
    /** Compares the open delivery with the last valid one of an event. */
    async compareWithEvent(event: string) {
      const page = await act(
        "Couldn't find a delivery to compare with",
        () => client.call('deliveries.page', { query: `event:${event} is:valid`, limit: 1 }),
        {
          done: ({ rows }) =>
            rows.length > 0
              ? null
              : {
                  tone: 'neutral',
                  title: `No ${event} to compare with`,
                  message: 'Send a sample first.',
                },
        },
      )
      const { id } = app().navigation.at.deliveries
      const other = page?.rows[0]
      if (id !== undefined && other !== undefined)
        await app().compare.start({ kind: 'delivery', id: other.id }, { kind: 'delivery', id })
    },
  }
}
