/** Following the address: the list selects the open delivery. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { hasAddressChanged } from '../../ui-state/navigation-slice.ts'
import type { Tab } from '../../ui-state/routes.ts'
import type { DetailTools } from './detail-display.ts'

export function followDeliveryAddress({ data, set, app, subscribe }: DetailTools): void {
  const select = (id: string | undefined, tab: Tab | undefined) =>
    app().navigation.select('deliveries', { id, tab })
  /** Selects the delivery of the address in the list. */
  const selectInList = async (id: string) => {
    const { selectedSeq, rows } = app().list
    if (selectedSeq !== null && rows.rows.get(selectedSeq)?.id === id) return
    const delivery = await data.queries
      .fetchQuery<DeliveryRow>({ queryKey: ['deliveries.get', { id }] })
      // The pane shows the error.
      .catch(() => null)
    if (delivery === null || app().navigation.at.deliveries.id !== id) return
    app().list.show(delivery)
    set(({ focus }) => ({ focus: focus + 1 }))
    // Replaces a short ID or `latest` in the address.
    select(delivery.id, app().navigation.at.deliveries.tab)
  }
  subscribe((now, before) => {
    if (!hasAddressChanged('deliveries', now, before)) return
    const { id, tab } = now.navigation.at.deliveries
    const last = before.navigation.at.deliveries
    if (tab === undefined && last.tab !== undefined) select(id, last.tab)
    else if (tab !== last.tab) set({ signatureTool: null })
    if (id === undefined) set({ full: false })
    else if (id !== last.id || before.core.status === null) void selectInList(id)
  })
}
