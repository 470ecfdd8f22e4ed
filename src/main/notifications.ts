/** Notifications in Electron. */
import { Notification } from 'electron'
import type { Client } from '../shared/rpc/client.ts'
import type { CoreState } from './core-state.ts'
import { createNotices, type DesktopNotice } from './notices.ts'
import type { MainWindow } from './window.ts'

interface NotificationDeps {
  readonly client: Client
  readonly window: Pick<MainWindow, 'isInFront'>
}

/** Shows notices of the core's events; `open` is called for a clicked one. */
export function setupNotices(
  { client, window }: NotificationDeps,
  coreState: CoreState,
  open: (notice: DesktopNotice) => void,
): void {
  if (!Notification.isSupported()) return
  /** Open notifications: Electron drops the click of one that nothing refers to. */
  const openNotifications = new Set<Notification>()
  const notices = createNotices({
    settings: () => coreState.desktop,
    isInFront: window.isInFront,
    show(notice) {
      const notification = new Notification({ title: notice.title, body: notice.body })
      const forget = () => openNotifications.delete(notification)
      notification.on('click', () => {
        forget()
        open(notice)
      })
      notification.on('close', forget)
      openNotifications.add(notification)
      notification.show()
    },
  })
  client.on('deliveries.changed', notices.delivered)
  client.on('forward.changed', notices.forwarded)
  client.on('flows.changed', notices.flowChanged)
}
