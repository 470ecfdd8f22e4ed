/** The report of a flow run, saved as a file. */
import { saveBytes } from '../../ui/save-file.ts'
import type { FlowsTools } from './flows-state.ts'
import { addressedFlow } from './open-flow.ts'

const endings = { html: 'html', junit: 'xml' } as const
export type FlowReportFormat = keyof typeof endings

/** Saves the report of the shown run as a file. */
export async function saveReport(
  { act, client, app }: FlowsTools,
  format: FlowReportFormat,
): Promise<void> {
  const { plan, run } = addressedFlow(app())
  if (plan === null || run === null) return
  await act(
    "Couldn't save the file",
    async () => {
      const { text } = await client.call('flows.report', { runId: run.id, format })
      // With the time of the run: `purchase-visa-20261121113000.html`.
      const moment = run.startedAt.slice(0, 19).replaceAll(/\D/g, '')
      const name = `${plan.name}-${moment}.${endings[format]}`
      saveBytes(new TextEncoder().encode(text), name)
      return name
    },
    { done: (name) => ({ tone: 'ok', title: 'File saved', message: name }) },
  )
}
